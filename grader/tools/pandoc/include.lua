-- SPDX-License-Identifier: Apache-2.0
-- Pandoc filter: code blocks that show a part of a file of this tree, so that
-- nothing is pasted. Run Pandoc from the repository's root. In Markdown:
--
--     ```{.cuda include="solutions/03-block-clc/block_clc.cu" region="TODO(2)"}
--     ```
--
--   include   the file, from the repository's root
--   region    only what is between the lines with "BEGIN x" and "END x"; in a
--             Markdown file, the first block of code under the heading x
--   from, to  of that, from the line that contains the first text to the next line
--             that contains the second; exactly one line must contain "from"
--   nth       N: several lines may contain "from", and the N-th of them is meant
--   more      N: and the N lines behind "to"
--   comments  "no" leaves out lines that consist only of a comment
--   blanks    "no" leaves out empty lines
--   mark      texts separated by |: lines that contain one of them are highlighted
--   caption   "no" leaves out the line that names the file
--
-- A block that Pandoc does not take for one is an error. If something is not found, that is an error with the place of the block. With
-- -M include-deps=PATH, a rule for make is written there, which lists the files that
-- were read; its target is the value of -M include-target.

local read_files = {} -- path -> lines
local read_order = {}
local marked = {} -- CSS selectors of the lines that are highlighted
local blocks = 0

-- Returns the place of a block in the input. Pandoc's tree has no line numbers, so the
-- sources are searched for the line that has all of the block's attributes.
local function place_of(block)
  for _, name in ipairs(PANDOC_STATE.input_files) do
    local file = io.open(name)
    local number = 0
    for line in file and file:lines() or function() end do
      number = number + 1
      local all = line:find('^```') ~= nil
      for _, key in ipairs({'include', 'region', 'from', 'to'}) do
        local value = block.attributes[key]
        all = all and (not value or line:find(value, 1, true))
      end
      if all then return name .. ':' .. number end
    end
  end
  return table.concat(PANDOC_STATE.input_files, ' ')
end

local function fail(block, what)
  io.stderr:write(place_of(block), ': error: ', what, '\n')
  os.exit(1)
end

local function lines_of(block, path)
  if path:sub(1, 1) == '/' or ('/' .. path .. '/'):find('/../', 1, true) then
    fail(block, path .. ': only files below the repository\'s root')
  end
  if read_files[path] then return read_files[path] end
  local file = io.open(path)
  local text = file and file:read('a')
  if not text then fail(block, path .. ': no such file') end
  file:close()
  local lines = {}
  for line in (text:gsub('\r', '') .. '\n'):gmatch('(.-)\n') do
    lines[#lines + 1] = line
  end
  if lines[#lines] == '' then lines[#lines] = nil end
  read_files[path] = lines
  read_order[#read_order + 1] = path
  return lines
end

local function slice(lines, first, last)
  return table.move(lines, first, last, 1, {})
end

-- Whether the line has the word BEGIN or END and then the whole tag.
local function is_marker(line, word, tag)
  local _, stop = line:find(word .. ' ' .. tag, 1, true)
  return stop and not line:sub(stop + 1, stop + 1):find('[%w_-]')
end

local function tagged(block, path, lines, tag)
  local first, last
  for number, line in ipairs(lines) do
    if is_marker(line, 'BEGIN', tag) then
      if first then fail(block, path .. ': two regions ' .. tag) end
      first = number + 1
    elseif first and not last and is_marker(line, 'END', tag) then
      last = number - 1
    end
  end
  if not first then fail(block, path .. ': no region ' .. tag) end
  if not last then fail(block, path .. ': region ' .. tag .. ' has no end') end
  return slice(lines, first, last)
end

-- Returns the first block of code under a heading of a Markdown file.
local function under_heading(block, path, lines, heading)
  local inside, first = false, nil
  for number, line in ipairs(lines) do
    if first and line:find('^```') then
      return slice(lines, first, number - 1)
    elseif not first and line:find('^#') then
      inside = line:gsub('^#+%s*', '') == heading
    elseif inside and not first and line:find('^```') then
      first = number + 1
    end
  end
  fail(block, path .. ': no code under the heading "' .. heading .. '"')
end

-- Returns the number of the only line with this text, or of the nth such line.
local function find_line(block, path, lines, text, nth)
  local found = {}
  for number, line in ipairs(lines) do
    if line:find(text, 1, true) then found[#found + 1] = number end
  end
  if not nth and #found > 1 then
    fail(block, path .. ': "' .. text .. '" is in two lines')
  end
  return found[tonumber(nth or 1)] or
    fail(block, path .. ': no line with "' .. text .. '"')
end

local function narrowed(block, path, lines)
  local from, to, nth = block.attributes.from, block.attributes.to, block.attributes.nth
  local first, last = 1, #lines
  if from then first = find_line(block, path, lines, from, nth) end
  if to then
    last = nil
    for number = first, #lines do
      if lines[number]:find(to, 1, true) then
        last = math.min(number + tonumber(block.attributes.more or 0), #lines)
        break
      end
    end
    if not last then fail(block, path .. ': no line with "' .. to .. '"') end
  end
  return slice(lines, first, last)
end

local function without(lines, pattern)
  local kept = {}
  for _, line in ipairs(lines) do
    if not line:find(pattern) then kept[#kept + 1] = line end
  end
  return kept
end

-- Removes empty lines at both ends, and the blanks that all lines begin with.
local function trimmed(lines)
  local first, last = 1, #lines
  while first <= last and not lines[first]:find('%S') do first = first + 1 end
  while last >= first and not lines[last]:find('%S') do last = last - 1 end
  local margin
  for number = first, last do
    local indent = lines[number]:find('%S')
    if indent and (not margin or indent < margin) then margin = indent end
  end
  local kept = {}
  for number = first, last do
    kept[#kept + 1] = lines[number]:sub(margin or 1)
  end
  return kept
end

local function set_off(block, path, lines, texts, id)
  for text in texts:gmatch('[^|]+') do
    local found = false
    for number, line in ipairs(lines) do
      if line:find(text, 1, true) then
        found = true
        marked[#marked + 1] = '#' .. id .. '-' .. number
      end
    end
    if not found then fail(block, path .. ': no line with "' .. text .. '"') end
  end
end

local own = {include = 1, region = 1, from = 1, to = 1, nth = 1, comments = 1,
             blanks = 1, more = 1, mark = 1, caption = 1}

local function attributes_of(block)
  local classes, rest = {}, {}
  for _, class in ipairs(block.classes) do
    classes[#classes + 1] = class == 'cuda' and 'cpp' or class
  end
  for key, value in pairs(block.attributes) do
    if not own[key] then rest[key] = value end
  end
  return classes, rest
end

local function source_line(path, region)
  local words = {pandoc.Code(path)}
  if region then words[2] = pandoc.Str(', ' .. region) end
  return pandoc.Div({pandoc.Plain(words)}, pandoc.Attr('', {'source'}))
end

-- What Pandoc did not take for a block of code, such as one with two blanks in a row in an
-- attribute, it leaves in the text: so it would be printed as it stands.
local function fail_if_fence(text)
  if not text:find('```', 1, true) and not text:find('^{%.[^}]*include=') then return end
  io.stderr:write(table.concat(PANDOC_STATE.input_files, ' '),
                  ': error: a fence is left in the text: ', text, '\n')
  os.exit(1)
end

function Str(word) fail_if_fence(word.text) end

function Code(code) fail_if_fence(code.text) end

function CodeBlock(block)
  local wanted = block.attributes
  local path, region = wanted.include, wanted.region
  if not path then
    for _, key in ipairs({'region', 'from', 'to', 'nth'}) do
      if wanted[key] then fail(block, key .. ' without include') end
    end
    return nil
  end
  local lines = lines_of(block, path)
  if region then
    local find = path:find('%.md$') and under_heading or tagged
    lines = find(block, path, lines, region)
  end
  lines = narrowed(block, path, lines)
  if wanted.comments == 'no' then lines = without(lines, '^%s*//') end
  if wanted.blanks == 'no' then lines = without(lines, '^%s*$') end
  lines = trimmed(lines)
  if #lines == 0 then fail(block, path .. ': nothing is left to show') end
  blocks = blocks + 1
  local id = block.identifier
  if id == '' then id = 'listing-' .. blocks end
  if wanted.mark then set_off(block, path, lines, wanted.mark, id) end
  local classes, rest = attributes_of(block)
  local content = {pandoc.CodeBlock(table.concat(lines, '\n'),
                                    pandoc.Attr(id, classes, rest))}
  if wanted.caption ~= 'no' then content[2] = source_line(path, region) end
  return pandoc.Div(content, pandoc.Attr('', {'listing'}))
end

-- Highlights the marked lines by a style sheet in the page, as Pandoc gives each line of
-- a block of code an id.
local function add_marks(document)
  if #marked == 0 then return end
  local css = '<style>\n' .. table.concat(marked, ',\n') ..
    ' { background: #ffe9a8; }\n</style>'
  local headers = document.meta['header-includes'] or pandoc.List({})
  if pandoc.utils.type(headers) ~= 'List' then headers = {headers} end
  headers[#headers + 1] = pandoc.MetaBlocks({pandoc.RawBlock('html', css)})
  document.meta['header-includes'] = headers
end

local function write_deps(meta)
  local path = meta['include-deps']
  if not path then return end
  local target = pandoc.utils.stringify(meta['include-target'])
  local files = table.concat(read_order, ' ')
  local file = assert(io.open(pandoc.utils.stringify(path), 'w'))
  file:write(target, ': ', files, '\n')
  for _, name in ipairs(read_order) do file:write(name, ':\n') end
  file:close()
end

function Pandoc(document)
  add_marks(document)
  write_deps(document.meta)
  document.meta['include-deps'] = nil
  document.meta['include-target'] = nil
  return document
end
