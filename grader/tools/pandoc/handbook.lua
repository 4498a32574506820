-- SPDX-License-Identifier: Apache-2.0
-- Pandoc filter of the handbook: makes a page of a Markdown file, and turns links
-- between files of the tree into links between pages. grader/tools/make-docs runs it
-- from the repository's root, with
--
--   -M mode=site|book    pages of a site, or chapters of one document, in which each
--                        identifier is prefixed by the name of its page
--   -M source=PATH       the file that Pandoc reads
--   -M map=PATH          each line has a source's path, a blank, and its page's name
--   -M wanted=PATH       the paths of linked files are appended here, so that they
--                        become pages too
--   -M index=PATH        for the search: a line of JSON for each section is written there,
--                        [page, anchor, the page's title, heading, text]
--
-- The first heading becomes the title. A link to nothing is an error. A figure of the slides
-- that make has not drawn is replaced by its words.

local pages = {} -- path of a source -> name of its page, without .html
local mode, source, wanted
local taken = {} -- identifiers of this page
local listings = 0 -- blocks of code in it

local function meta_string(meta, key)
  return meta[key] and pandoc.utils.stringify(meta[key]) or ''
end

local function fail(what)
  io.stderr:write(source, ': error: ', what, '\n')
  os.exit(1)
end

local function read_map(path)
  for line in io.lines(path) do
    local from, name = line:match('^(%S+) (%S+)$')
    if from then pages[from] = name end
  end
end

local function exists(path)
  local file = io.open(path)
  if file then file:close() end
  return file ~= nil
end

-- docs/rules and ../figures/a.svg: docs/figures/a.svg
local function resolve(folder, target)
  local parts = {}
  for part in (folder .. '/' .. target):gmatch('[^/]+') do
    if part == '..' then
      parts[#parts] = nil
    elseif part ~= '.' then
      parts[#parts + 1] = part
    end
  end
  return table.concat(parts, '/')
end

local function want(path)
  local file = assert(io.open(wanted, 'a'))
  file:write(path, '\n')
  file:close()
end

local function listing_name(path)
  return 'file-' .. path:gsub('/', '-')
end

-- Returns where a link of file `from` leads, or nil if only its text should be kept.
local function destination(from, target)
  if target:find('^%a[%w+.-]*:') then return target end
  local path, anchor = target:match('^([^#]*)#?(.*)$')
  local file = path == '' and from or
    resolve(from:match('^(.*)/') or '.', path)
  local page = pages[file]
  if not page and mode == 'book' then return nil end
  if page then
    want(file)
    if mode == 'book' then
      return '#' .. page .. (anchor ~= '' and '-' .. anchor or '')
    end
    return (path == '' and '' or page .. '.html') ..
      (anchor ~= '' and '#' .. anchor or '')
  end
  if not exists(file) then fail('no such file: ' .. target) end
  if not io.open(file):read(0) then return nil end -- a folder
  want(file)
  return listing_name(file) .. '.html'
end

-- Returns nil for a figure of the slides, which make draws, if it has not been drawn.
local function image_place(from, target)
  if target:find('^%a[%w+.-]*:') then return target end
  local file = resolve(from:match('^(.*)/') or '.', target)
  if file:find('^slides/figures/') then
    if not exists(file:gsub('svg$', 'fig')) then fail('no such image: ' .. target) end
    file = 'build/' .. file
    if not exists(file) then return nil end
  end
  if not exists(file) then fail('no such image: ' .. target) end
  want(file)
  return 'files/' .. file:gsub('/', '-')
end

-- Makes identifiers unique: in the book, by the name of their page.
local function identifier(page, id)
  if id == '' then return id end
  if mode == 'book' then id = page .. '-' .. id end
  local free, number = id, 0
  while taken[free] do
    number = number + 1
    free = id .. '-' .. number
  end
  taken[free] = true
  return free
end

-- In a file that is read as text, a figure may be drawn with letters, and a comment before it
-- name a better one: <!-- figure: PATH WORDS -->. Here the better one takes its place.
local function with_figures(blocks)
  local kept = pandoc.List()
  for i, block in ipairs(blocks) do
    local before = i > 1 and blocks[i - 1]
    local path, words
    if block.t == 'CodeBlock' and before and before.t == 'RawBlock' then
      path, words = before.text:match('^<!%-%- figure: (%S+) (.-) %-%->')
    end
    kept:insert(not path and block or
      pandoc.Para({pandoc.Image({pandoc.Str(words)}, path)}))
  end
  return kept
end

-- Returns the blocks of one file with corrected links and identifiers.
local function adapt(blocks, from, page, deeper)
  return pandoc.walk_block(pandoc.Div(with_figures(blocks)), {
    Header = function(header)
      header.level = header.level + deeper
      header.identifier = identifier(page, header.identifier)
      return header
    end,
    Link = function(link)
      local place = destination(from, link.target)
      if not place then return link.content end
      link.target = place
      return link
    end,
    Image = function(image)
      local place = image_place(from, image.src)
      if not place then return pandoc.Emph(image.caption) end
      image.src = place
      return image
    end,
    Para = function(para) -- a figure may be wider than a phone's screen
      if #para.content == 1 and para.content[1].t == 'Image' then
        return pandoc.Div({pandoc.Plain(para.content)},
                          pandoc.Attr('', {'figure'}))
      end
    end,
    CodeBlock = function(block)
      listings = listings + 1
      if block.identifier == '' and (mode == 'book' or block.attributes.include)
      then
        block.identifier = page .. '-listing-' .. listings
      end
      for i, class in ipairs(block.classes) do
        if class == 'cuda' then block.classes[i] = 'cpp' end
      end
      return block
    end,
  }).content
end

-- ---- the index of the search -----------------------------------------------

local function quoted(text)
  text = text:gsub('%s+', ' '):gsub('[%c"\\<]', function(c)
    return ('\\u%04x'):format(c:byte())
  end)
  return '"' .. text .. '"'
end

-- The text of a block, code included.
local function text_of(block)
  local parts = {}
  pandoc.walk_block(pandoc.Div({block}), {
    Str = function(word) parts[#parts + 1] = word.text end,
    Code = function(code) parts[#parts + 1] = code.text end,
    CodeBlock = function(code) parts[#parts + 1] = code.text end,
  })
  return table.concat(parts, ' ')
end

local function write_index(path, page, title, blocks)
  local file = assert(io.open(path, 'w'))
  local anchor, heading, texts = '', title, {}
  local function section()
    if heading == title and #texts == 0 then return end
    file:write('[', quoted(page), ',', quoted(anchor), ',', quoted(title), ',',
               quoted(heading), ',', quoted(table.concat(texts, ' ')), '],\n')
  end
  for _, block in ipairs(blocks) do
    if block.t == 'Header' then
      section()
      anchor, heading = block.identifier, pandoc.utils.stringify(block)
      texts = {}
    else
      texts[#texts + 1] = text_of(block)
    end
  end
  section()
  file:close()
end

-- Removes the heading of level 1 from the blocks, if there is only one.
local function take_title(blocks)
  local first, count = nil, 0
  for i, block in ipairs(blocks) do
    if block.t == 'Header' and block.level == 1 then
      first = first or i
      count = count + 1
    end
  end
  if count ~= 1 then return nil, count end
  return blocks:remove(first).content, count
end

function Pandoc(document)
  local meta = document.meta
  mode, source = meta_string(meta, 'mode'), meta_string(meta, 'source')
  wanted = meta_string(meta, 'wanted')
  read_map(meta_string(meta, 'map'))
  local page = pages[source] or 'page'
  local title, headings = take_title(document.blocks)
  local sections = not title and headings > 1 and 1 or 0 -- the man page
  if not title then title = pandoc.Inlines(meta_string(meta, 'title')) end
  if meta_string(meta, 'headline') ~= '' then
    title = pandoc.Inlines(meta_string(meta, 'headline'))
  end
  local deeper = mode == 'book' and 1 or 0
  local blocks = adapt(document.blocks, source, page, deeper + sections)
  if mode == 'book' then
    blocks:insert(1, pandoc.Header(2, title, pandoc.Attr(page)))
  end
  local index = meta_string(meta, 'index')
  if index ~= '' then
    write_index(index, page, pandoc.utils.stringify(title), blocks)
  end
  return pandoc.Pandoc(blocks, pandoc.Meta({title = title}))
end
