// SPDX-License-Identifier: Apache-2.0
// The script of the handbook's site, which can be read without it: it scrolls the list of
// chapters to the page's own, and searches. MiniSearch (search/minisearch.js) finds words in
// search/pages.js, which grader/tools/make-docs wrote: a row for each section, with page,
// anchor, the page's title, the section's and its text. Both are loaded when somebody
// searches, by script elements, as a page from file:// may not fetch.
'use strict';
(() => {
  const chapters = document.getElementById('chapters');
  const here = chapters.querySelector('[aria-current]');
  if (here && getComputedStyle(chapters).position === 'sticky')
    chapters.scrollTop = here.offsetTop - chapters.clientHeight / 2;

  const form = document.querySelector('form[role=search]');
  if (!form)
    return;
  const field = form.querySelector('input'), list = form.querySelector('ol');
  const said = form.querySelector('p');
  const MOST = 12, AROUND = 70;
  let engine = null;

  function load(name) {
    return new Promise((done, failed) => {
      const script = document.createElement('script');
      script.src = 'search/' + name;
      script.onload = done;
      script.onerror = () => failed(new Error('there is no ' + script.src));
      document.head.append(script);
    });
  }

  async function begin() {
    await Promise.all([load('minisearch.js'), load('pages.js')]);
    const made = new MiniSearch({ fields: ['heading', 'title', 'text'],
      storeFields: ['page', 'anchor', 'title', 'heading', 'text'],
      searchOptions: { prefix: true, combineWith: 'AND', boost: { heading: 4, title: 3 },
                       fuzzy: (word) => word.length > 4 ? 0.2 : false } });
    made.addAll(CLCLAB_PAGES.map((row, id) => ({ id, page: row[0], anchor: row[1],
      title: row[2], heading: row[3], text: row[4] })));
    return made;
  }

  // A part of the text around the first of these words.
  function excerpt(text, words) {
    const low = text.toLowerCase();
    const at = Math.max(0, Math.min(...words.map((word) => low.indexOf(word))
      .filter((place) => place >= 0).concat(text.length)));
    const from = at === text.length ? 0 : Math.max(0, at - AROUND);
    return (from ? '… ' : '') + text.slice(from, from + 2 * AROUND) +
      (from + 2 * AROUND < text.length ? ' …' : '');
  }

  function entry(found) {
    const item = document.createElement('li'), link = document.createElement('a');
    const part = document.createElement('span');
    link.href = found.page + '.html' + (found.anchor ? '#' + found.anchor : '');
    link.textContent = found.heading && found.heading !== found.title
      ? found.title + ': ' + found.heading : found.title;
    part.textContent = excerpt(found.text, found.terms);
    item.append(link, part);
    return item;
  }

  async function search() {
    const words = field.value.trim();
    if (!words) {
      list.replaceChildren();
      said.textContent = '';
      return;
    }
    try {
      engine = engine || begin();
      const found = (await engine).search(words);
      if (words !== field.value.trim())
        return; // somebody typed on meanwhile
      list.replaceChildren(...found.slice(0, MOST).map(entry));
      said.textContent = found.length ? `${found.length} places` +
        (found.length > MOST ? `, the best ${MOST} of them:` : ':') : 'Nothing is found.';
    } catch (error) {
      said.textContent = 'The search does not work: ' + error.message;
    }
  }

  field.addEventListener('input', search);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const first = list.querySelector('a');
    if (first)
      first.click();
  });
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && form.contains(event.target)) {
      field.value = '';
      search();
    } else if (event.key === '/' && !/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.nodeName)) {
      event.preventDefault();
      field.focus();
    }
  });
})();
