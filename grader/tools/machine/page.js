// SPDX-License-Identifier: Apache-2.0
// The page "one mbarrier, one slot". It knows no rule: it follows the table that
// grader/tools/gen-machine.c made by running the virtual machine, from state to state.
'use strict';
(() => {
  const table = JSON.parse(document.getElementById('table').textContent);
  const at = (id) => document.getElementById(id);
  const number = new Map(table.actions.map((action, i) => [action.id, i]));
  const HARDWARE = ['grant', 'refuse'];
  const GONE = -1; // the thread has returned

  // Lists of actions that are worth seeing; each may end in an error.
  const ROUND = ['ask', 'announce', 'grant', 'wait0', 'read', 'index'];
  const STORIES = [
    ['a round, and a refusal', ['init', ...ROUND, 'release', 'acquire', 'ask', 'announce', 'refuse',
                                'wait1', 'read', 'leave']],
    ['no fence', ['init', ...ROUND, 'ask']],
    ['half a fence', ['init', ...ROUND, 'release', 'ask']],
    ['parity that never flips', ['init', ...ROUND, 'release', 'acquire', 'ask', 'announce', 'wait0', 'read']],
    ['it begins with parity 1', ['init', 'ask', 'announce', 'wait1', 'read']],
    ['bytes that nobody announced', ['init', 'ask', 'arrive']],
    ['it insists', ['init', 'ask', 'announce', 'refuse', 'wait0', 'read', 'release', 'acquire', 'ask']],
    ['it leaves at once', ['init', 'ask', 'announce', 'leave']],
  ];
  const SLOT = {
    none: 'nobody has asked: no answer can come',
    async: "the async proxy's: an answer is on its way",
    answered: 'the answer is there, but no thread has waited for it',
    threads: "the threads': they may read it, through the generic proxy",
  };

  let past; // of {action, state before, text, wrong}
  let state, wrong, queue, story;

  function show(id, text) {
    const node = at(id);
    node.classList.toggle('changed', node.textContent !== text && past.length > 0);
    node.textContent = text;
  }

  function draw() {
    const now = state === GONE ? null : table.states[state];
    if (now) {
      show('pending', now.live ? String(now.pending) : '-');
      show('tx', now.live ? String(now.tx) : '-');
      show('parity', now.live ? String(now.parity) : '-');
      at('slot').className = now.slot;
      show('owner', SLOT[now.slot]);
      show('answer', { '': '', grant: 'In it: a grant.', refusal: 'In it: a refusal.' }[now.answer]);
    }
    for (const button of document.querySelectorAll('button[data-action]'))
      button.disabled = wrong || !now || now.next[number.get(button.dataset.action)] === null;
    at('undo').disabled = at('again').disabled = past.length === 0;
    at('step').disabled = wrong || !queue.length;
    at('step').textContent = story ? `next: ${queue.length ? name(queue[0]) : 'the end'}` : 'next';
    at('past').replaceChildren(...past.map((step) => {
      const item = document.createElement('li');
      item.textContent = name(step.action) + ': ' + step.text;
      item.className = step.wrong ? 'wrong' : '';
      return item;
    }));
  }

  const name = (id) => table.actions[number.get(id)].code;

  function tell(lines, isWrong) {
    const node = at('told');
    node.className = isWrong ? 'wrong' : '';
    const first = document.createElement('strong');
    first.textContent = lines[0];
    node.replaceChildren(first, ...lines.slice(1).filter(Boolean).map((text) => {
      const line = document.createElement('span');
      line.textContent = text + ' ';
      return line;
    }));
  }

  function act(id) {
    const next = table.states[state].next[number.get(id)];
    if (wrong || next === null)
      return;
    if (typeof next === 'number') {
      const error = table.errors[-1 - next];
      wrong = true;
      past.push({ action: id, before: state, text: error.code, wrong: true });
      tell([`${error.code}: ${error.what}`, error.missing && 'Missing: ' + error.missing, error.help], true);
    } else {
      const text = id === 'leave' ? 'the thread has returned, and nothing is lost' : table.says[next[1]];
      past.push({ action: id, before: state, text, wrong: false });
      tell([`${name(id)}: ${text}`], false);
      state = id === 'leave' ? GONE : next[0];
    }
    if (story && queue[0] === id)
      queue.shift();
    else
      queue = [];
    draw();
  }

  function undo() {
    const last = past.pop();
    if (!last)
      return;
    state = last.before;
    wrong = false;
    if (story)
      queue.unshift(last.action);
    tell([past.length ? `After ${name(past[past.length - 1].action)}.` : 'At the beginning.'], false);
    draw();
  }

  function begin(chosen) {
    past = [];
    state = 0;
    wrong = false;
    story = chosen;
    queue = chosen ? [...chosen[1]] : [];
    tell([chosen ? `${chosen[0]}: what will each step do?`
                 : 'Nothing is initialised. What must come first?'], false);
    draw();
  }

  function button(home, text, press, attributes) {
    const made = document.createElement('button');
    made.type = 'button';
    made.textContent = text;
    for (const [key, value] of Object.entries(attributes || {}))
      made.setAttribute(key, value);
    made.addEventListener('click', press);
    at(home).append(made);
  }

  for (const action of table.actions)
    button(HARDWARE.includes(action.id) ? 'hardware' : 'thread', action.code, () => act(action.id),
           { 'data-action': action.id });
  button('way', 'undo', undo, { id: 'undo' });
  button('way', 'start again', () => begin(null), { id: 'again' });
  button('stories', 'next', () => queue.length && act(queue[0]), { id: 'step' });
  for (const chosen of STORIES)
    button('stories', chosen[0], () => begin(chosen));
  addEventListener('keydown', (event) => {
    if (event.key === 'Backspace') {
      event.preventDefault();
      undo();
    } else if (event.key === 'n') {
      at('step').click();
    }
  });
  if (parent !== window && !/[?&]whole/.test(location.search))
    document.documentElement.classList.add('embedded');
  begin(null);
})();
