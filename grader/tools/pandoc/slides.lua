-- SPDX-License-Identifier: Apache-2.0
-- Pandoc filter for the slides. A picture must exist below the folder that
-- -M pictures=FOLDER names, and must have a text that says what it shows; a slide must
-- have speaker notes. If one is missing, that is an error that names the slide.
-- Pauses and frames with other pages are removed on paper (--to html). A slide of few words, without a picture, code or
-- a table, gets the class "roomy", for larger letters.

local folder
local slide = 'before the first slide'
local has_notes = true

local function fail(what)
  io.stderr:write(PANDOC_STATE.input_files[1], ': error: ', slide, ': ', what,
                  '\n')
  os.exit(1)
end

local function check_picture(image)
  local file = io.open(folder .. '/' .. image.src)
  if not file then fail('there is no picture ' .. image.src) end
  file:close()
  if #image.caption == 0 then
    fail(image.src .. ' has no words for who cannot see it')
  end
end

local FEW_WORDS = 60

local head -- the slide's header
local words, is_dense = 0, false -- of what is shown

local function end_slide()
  if not has_notes then fail('it has no notes for the speaker') end
  if head and words <= FEW_WORDS and not is_dense then
    head.classes:insert('roomy')
  end
end

local function begin_slide(header)
  end_slide()
  slide = '"' .. pandoc.utils.stringify(header) .. '"'
  has_notes, head, words, is_dense = false, header, 0, false
end

local function be_dense() is_dense = true end

local function count(block)
  local _, found = pandoc.utils.stringify(block):gsub('%S+', '')
  words = words + found
  pandoc.walk_block(pandoc.Div({block}),
                    {Image = be_dense, CodeBlock = be_dense, Table = be_dense,
                     RawBlock = be_dense})
end

function Pandoc(document)
  folder = pandoc.utils.stringify(document.meta.pictures)
  document.meta.pictures = nil
  for _, block in ipairs(document.blocks) do
    if block.t == 'Header' and block.level <= 2 then begin_slide(block) end
    if block.t == 'Div' and block.classes:includes('notes') then
      has_notes = true
    elseif block.t ~= 'Header' then
      count(block)
    end
    pandoc.walk_block(block, {Image = check_picture})
  end
  end_slide()
  if FORMAT:match('html') then
    document.blocks = document.blocks:filter(function(block)
      local is_frame = block.t == 'RawBlock' and block.text:find('^<iframe')
      return not is_frame and pandoc.utils.stringify(block) ~= '. . .'
    end)
  end
  return document
end
