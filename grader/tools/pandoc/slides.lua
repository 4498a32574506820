-- SPDX-License-Identifier: Apache-2.0
-- Pandoc filter for the slides. A picture must exist below the folder that
-- -M pictures=FOLDER names, and must have a text that says what it shows; a slide must
-- have speaker notes. If one is missing, that is an error that names the slide.
--
-- In a deck (--to revealjs) a sequence diagram shows a row at each key, and the lines of the
-- source that do it; and before the report of a slide "A mistake" the room predicts it. Each
-- slide's notes begin with its minutes, of 45 that the deck takes.
--
-- Pauses and frames with other pages are removed on paper (--to html). A slide of few words,
-- without a picture, code or a table, gets the class "roomy", for larger letters; one of some
-- more, or with a few short lines of code, "large".

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
  local text = file:read('a')
  file:close()
  if #image.caption == 0 then
    fail(image.src .. ' has no words for who cannot see it')
  end
  return text
end

-- ---- a row at a time -------------------------------------------------------

-- A paragraph that is a picture with rows becomes the picture itself, whose rows are
-- fragments.
local function by_rows(block)
  local image = block.t == 'Para' and #block.content == 1 and block.content[1]
  if not image or image.t ~= 'Image' then return block end
  local text = check_picture(image)
  if not text:find('<g class="row">', 1, true) then return block end
  -- In one page all names are one another's: an arrow would look for its head in a picture
  -- of another slide, which is not drawn.
  local name = image.src:match('([%w-]+)%.svg$')
  text = text:gsub(' id="([%w-]+)"', ' id="' .. name .. '-%1"')
    :gsub('url%(#([%w-]+)%)', 'url(#' .. name .. '-%1)')
  return pandoc.RawBlock('html', '<div class="rows">' ..
    text:gsub('<g class="row">', '<g class="fragment">'):gsub('\n%s*\n', '\n') .. '</div>')
end

-- ---- predict the report ----------------------------------------------------

local PREDICT = 'Predict the report: two minutes, in pairs. Which rule, at which line?'

local function is_report(block)
  return block.t == 'Div' and block.classes:includes('listing') and
    block.content[1].classes:includes('text')
end

local function is_pause(block)
  return pandoc.utils.stringify(block) == '. . .'
end

-- Puts the question before the first report, or before what has a pause of its own.
local function with_question(blocks)
  local kept, asked, mistake = pandoc.List(), false, false
  for _, block in ipairs(blocks) do
    if block.t == 'Header' then
      mistake = pandoc.utils.stringify(block):find('^A mistake') ~= nil
      asked = false
    end
    if mistake and not asked and (is_report(block) or is_pause(block)) then
      kept:insert(pandoc.Div({pandoc.Plain({pandoc.Str(PREDICT)})},
                             pandoc.Attr('', {'predict'})))
      if not is_pause(block) then
        kept:insert(pandoc.Para({pandoc.Str('.'), pandoc.Space(), pandoc.Str('.'),
                                 pandoc.Space(), pandoc.Str('.')}))
      end
      asked = true
    end
    kept:insert(block)
  end
  return kept
end

-- ---- minutes ---------------------------------------------------------------

local MINUTES = 45

-- How long a slide takes, compared with others: a question, a mistake with its prediction, a
-- diagram that is gone through row by row, code, a picture, text.
local function weight_of(blocks)
  local title = pandoc.utils.stringify(blocks[1])
  if title:find('^A question') or title == 'Try it' then return 5 end
  if title:find('^A mistake') then return 5 end
  local weight = 2
  pandoc.walk_block(pandoc.Div(blocks), {
    CodeBlock = function() weight = math.max(weight, 3) end,
    Image = function(image)
      weight = math.max(weight, check_picture(image):find('"row"') and 4 or 2)
    end,
  })
  return weight
end

-- Writes at the beginning of each slide's notes from when to when it is on.
local function with_minutes(blocks)
  local slides, all = {}, 0
  for _, block in ipairs(blocks) do
    if block.t == 'Header' then slides[#slides + 1] = pandoc.List() end
    if #slides > 0 then slides[#slides]:insert(block) end
  end
  local weights = {}
  for i, slide in ipairs(slides) do
    weights[i] = weight_of(slide)
    all = all + weights[i]
  end
  local before = 0
  for i, slide in ipairs(slides) do
    local from = math.floor(before * MINUTES / all + 0.5)
    before = before + weights[i]
    local to = math.floor(before * MINUTES / all + 0.5)
    for _, block in ipairs(slide) do
      if block.t == 'Div' and block.classes:includes('notes') then
        block.content:insert(1, pandoc.Para({pandoc.Strong(
          {pandoc.Str(('Minutes %d to %d.'):format(from, to))})}))
      end
    end
  end
end

local FEW_WORDS, SOME_WORDS = 60, 85
local FEW_LINES, SHORT_LINE = 13, 75 -- of code, and characters

local head -- the slide's header
local words, is_dense = 0, false -- of what is shown
local has_picture = false
local lines, longest = 0, 0 -- of its code

-- How large its letters may be: grader/tools/slides-check tells if they are not.
local function size_of_letters()
  if words <= FEW_WORDS and not is_dense then return 'roomy' end
  local is_short = lines <= FEW_LINES and longest <= SHORT_LINE
  local is_large = is_dense and is_short and words + 5 * lines <= SOME_WORDS or
    not is_dense and words <= SOME_WORDS
  return is_large and not has_picture and 'large'
end

local function end_slide()
  if not has_notes then fail('it has no notes for the speaker') end
  local size = head and size_of_letters()
  if size then head.classes:insert(size) end
end

local function begin_slide(header)
  end_slide()
  slide = '"' .. pandoc.utils.stringify(header) .. '"'
  has_notes, head, words, is_dense = false, header, 0, false
  has_picture, lines, longest = false, 0, 0
end

local function be_dense() is_dense = true end

local function be_picture() is_dense, has_picture = true, true end

local function count_lines(block)
  is_dense = true
  for line in (block.text .. '\n'):gmatch('(.-)\n') do
    lines = lines + 1
    longest = math.max(longest, #line)
  end
end

local function count(block)
  local _, found = pandoc.utils.stringify(block):gsub('%S+', '')
  words = words + found
  pandoc.walk_block(pandoc.Div({block}),
                    {Image = be_picture, CodeBlock = count_lines,
                     Table = be_dense, RawBlock = be_picture})
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
  with_minutes(document.blocks)
  if FORMAT:match('revealjs') then
    document.blocks = with_question(document.blocks):map(by_rows)
  else
    document.blocks = document.blocks:filter(function(block)
      local is_frame = block.t == 'RawBlock' and block.text:find('^<iframe')
      return not is_frame and pandoc.utils.stringify(block) ~= '. . .'
    end)
  end
  return document
end
