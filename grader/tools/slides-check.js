// SPDX-License-Identifier: Apache-2.0
// Runs in a deck, into which grader/tools/slides-check puts it: shows one slide after
// the other, with everything that would appear step by step, and measures it. Writes
// "slides N", and a line "fault ..." for each fault.
'use strict';

const WIDTH = 1280, HEIGHT = 720, SMALLEST = 16;

function titleOf(slide) {
  const heading = slide.querySelector('h1, h2');
  return heading ? heading.textContent.trim() : '(no heading)';
}

function overflow(slide) {
  const faults = [];
  if (slide.scrollHeight > HEIGHT)
    faults.push('is ' + slide.scrollHeight + ' pixels high');
  if (slide.scrollWidth > WIDTH)
    faults.push('is ' + slide.scrollWidth + ' pixels wide');
  for (const box of slide.querySelectorAll('pre code, table')) {
    const parent = box.tagName === 'TABLE' ? box.parentElement : box;
    if (parent.scrollWidth > parent.clientWidth + 1)
      faults.push('has a ' + (box === parent ? 'line of code' : 'table') +
        ' that is too wide, by ' + (parent.scrollWidth - parent.clientWidth));
  }
  return faults;
}

function pictures(slide) {
  const faults = [];
  for (const image of slide.querySelectorAll('img')) {
    if (!image.complete || image.naturalWidth === 0)
      faults.push('shows no picture: ' + image.getAttribute('src'));
    else if (image.src.endsWith('.svg') &&
      18 * image.clientWidth / image.naturalWidth < SMALLEST)
      faults.push('shows ' + image.getAttribute('src') + ' too small: ' +
        image.clientWidth + ' of ' + image.naturalWidth + ' pixels');
  }
  return faults;
}

function smallText(slide) {
  const walker = document.createTreeWalker(slide, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || parent.closest('aside.notes'))
      continue;
    const size = parseFloat(getComputedStyle(parent).fontSize);
    if (size < SMALLEST)
      return ['has text of ' + size + ' pixels: ' +
        walker.currentNode.data.trim().slice(0, 30)];
  }
  return [];
}

// In Pandoc's page, a picture is loaded only when its slide is near.
function loaded(slide) {
  return Promise.all([...slide.querySelectorAll('img')].map((image) => {
    if (!image.getAttribute('src') && image.dataset.src)
      image.src = image.dataset.src;
    return image.decode().catch(() => null);
  }));
}

async function measure() {
  Reveal.configure({transition: 'none', fragments: false});
  const lines = [];
  const slides = Reveal.getSlides();
  for (const [number, slide] of slides.entries()) {
    Reveal.slide(number);
    await loaded(slide);
    const faults = overflow(slide).concat(pictures(slide), smallText(slide));
    for (const fault of faults)
      lines.push('fault slide ' + number + ', "' + titleOf(slide) + '", ' +
        fault);
  }
  const out = document.createElement('pre');
  out.id = 'measured';
  out.textContent = '\nslides ' + slides.length + '\n' + lines.join('\n') + '\n';
  document.body.append(out);
}

window.addEventListener('load', () => {
  Promise.all([document.fonts.ready, Reveal.isReady() ? null :
    new Promise((ready) => Reveal.on('ready', ready))]).then(measure);
});
