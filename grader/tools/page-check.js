// SPDX-License-Identifier: Apache-2.0
// Runs in a report as HTML, into which grader/tools/page-check puts it: uses the page as a
// reader does, and tells the page around it what is wrong, a line "fault ..." each, and
// at the end "checked".
'use strict';
(() => {
  const faults = [];
  const check = (right, what) => right || faults.push('fault ' + what);
  addEventListener('error', (event) => faults.push('fault script: ' + event.message));
  addEventListener('securitypolicyviolation', (event) =>
    faults.push('fault policy: ' + event.violatedDirective + ' ' + event.blockedURI));

  const press = (node, key) =>
    node.dispatchEvent(new KeyboardEvent('keydown', { key: key, bubbles: true, cancelable: true }));
  const told = () => document.querySelector('.told').textContent;

  function stepper() {
    const home = document.getElementById('stepper');
    if (!home)
      return;
    const button = (name) => home.querySelector(`button[aria-label="${name}"]`);
    const slider = home.querySelector('input'), scroll = home.querySelector('.scroll');
    const at = told(), step = Number(slider.value);
    check(/ is found/.test(at), 'the stepper does not begin at the finding: ' + at);
    button('back').click();
    check(Number(slider.value) === step - 1 && told() !== at, 'back does not go back');
    press(scroll, 'ArrowRight');
    check(told() === at, 'the right arrow does not go forward again');
    press(scroll, 'ArrowUp');
    check(Number(slider.value) === step - 1, 'the up arrow does not go back');
    slider.value = 0;
    slider.dispatchEvent(new Event('input'));
    check(/^Step 1 of /.test(told()), 'the slider does not lead to its step: ' + told());
    check(button('back').disabled, 'one can go back before the first step');
    button('to the finding').click();
    check(told() === at, 'there is no way back to the finding');
    check(home.querySelectorAll('tbody tr').length > 0, 'no mbarrier and no slot is shown');
    const warps = () => home.querySelectorAll('.objects table')[1].tBodies[0].rows;
    const all = warps().length;
    check(all > 0, 'no warp is told of');
    slider.value = 0;
    slider.dispatchEvent(new Event('input'));
    check(warps().length <= 1 && all > 1, 'warps are told of that did nothing yet');
    button('to the finding').click();
    check(home.querySelector('.gap, .edge'), 'no arrow leads to the finding');
    check(document.querySelector('.source li.now'), 'the line is not marked in the source');
  }

  function map() {
    const picture = document.querySelector('#blocks .scroll svg');
    const say = document.querySelector('#blocks .say');
    picture.querySelector('g').dispatchEvent(new MouseEvent('click', { bubbles: true }));
    const first = say.textContent;
    check(/^Blocks? 0/.test(first), 'a touched square tells nothing: ' + first);
    press(picture, 'ArrowRight');
    check(say.textContent !== first, 'the arrow key does not lead to the next square');
  }

  function places() {
    const picture = document.querySelector('#places .scroll svg');
    press(picture, 'End');
    check(/^Block /.test(document.querySelector('#places .say').textContent),
          'no block is told of');
    check(document.querySelectorAll('#sms rect').length > 1, 'no time of the SMs is drawn');
    // Beside another schedule the plain one, on the same scale.
    const plain = document.getElementById('plain');
    check(!plain || plain.querySelectorAll('rect').length > 8, 'the plain schedule is not drawn');
    const end = (node) => node.querySelectorAll('.faint')[4].textContent;
    check(!plain || end(plain) === end(picture), 'the plain schedule has another scale');
    const ways = [...document.querySelectorAll('[id^="way"] .scroll svg')];
    check(ways.length === 3 && ways.every((way) => end(way) === end(ways[0])),
          'three ways are not drawn on one scale');
    check(Boolean(plain) === /, schedule /.test(document.querySelector('#map ~ p').textContent),
          'the plain schedule is beside itself, or not beside another one');
  }

  // One mbarrier, one slot: what a round shows, what is wrong, and back again.
  function machine() {
    const at = (id) => document.getElementById(id).textContent;
    const push = (id) => document.querySelector(`[data-action="${id}"]`).click();
    const shown = () => ['pending', 'tx', 'parity'].map(at).join(' ');
    const is = (want) => check(shown() === want, `it shows ${shown()}, and not ${want}`);
    is('- - -');
    push('ask');
    check(/^CLC005: /.test(at('told')), 'asking without an mbarrier is no error: ' + at('told'));
    check([...document.querySelectorAll('[data-action]')].every((button) => button.disabled),
          'one can go on after an error');
    press(document.body, 'Backspace');
    push('init');
    is('1 0 0');
    push('ask');
    check(document.querySelector('#slot.async'), 'the slot is not the async proxy\'s');
    push('announce');
    is('0 16 0');
    push('read');
    check(/^CLC007: .*Missing: /.test(at('told')), 'reading early is no error: ' + at('told'));
    document.getElementById('undo').click();
    push('grant');
    is('1 0 1');
    check(document.querySelector('#slot.answered'), 'the answer is the threads\' before they waited');
    push('wait0');
    check(document.querySelector('#slot.threads'), 'the slot is not the threads\'');
    push('read');
    push('ask');
    check(/^CLC006: /.test(at('told')), 'asking without a fence is no error: ' + at('told'));
    stories();
    inSight();
  }

  // Whichever button is in sight, so is what it changes.
  function inSight() {
    const told = document.getElementById('told'), buttons = [...document.querySelectorAll('button')];
    for (const button of [buttons[0], buttons[buttons.length - 1]]) {
      button.scrollIntoView({ block: 'end' });
      const box = told.getBoundingClientRect(), pushed = button.getBoundingClientRect();
      check(innerWidth > 700 || (box.top >= 0 && box.bottom <= pushed.top + 1),
            `with ${button.textContent} in sight what it does is not`);
    }
    scrollTo(0, 0);
  }

  // Each can be played to its end: nothing in it is impossible.
  function stories() {
    const all = [...document.querySelectorAll('#stories button')].filter((button) => button.id !== 'step');
    const step = document.getElementById('step');
    for (const story of all) {
      story.click();
      for (let i = 0; i < 40 && !step.disabled; i++)
        press(document.body, 'n');
      check(/ the end$/.test(step.textContent), story.textContent + ' stops at ' + step.textContent);
      const ends = document.querySelector('#told.wrong') !== null;
      check(ends === (story !== all[0]), story.textContent + ' ends: ' + document.getElementById('told').textContent);
    }
    all[1].click();
    for (let i = 0; i < 40 && !step.disabled; i++)
      step.click();
  }

  // The page itself is never wider than the screen; its pictures scroll.
  function width() {
    const page = document.documentElement;
    check(page.scrollWidth <= page.clientWidth,
          `the page is ${page.scrollWidth} pixels wide, on ${page.clientWidth}`);
    for (const button of document.querySelectorAll('button'))
      check(button.offsetHeight >= 44, 'a button is too small to be touched');
  }

  addEventListener('load', () => {
    try {
      if (document.getElementById('data')) {
        stepper();
        map();
        places();
      } else if (document.getElementById('machine')) {
        machine();
      }
      width();
    } catch (error) {
      faults.push('fault ' + error);
    }
    parent.postMessage([...faults, 'checked'].join('\n'), '*');
  });
})();
