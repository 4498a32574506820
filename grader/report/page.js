// SPDX-License-Identifier: Apache-2.0
// The pictures of a report: drawn from the data that report/html_data.c wrote
// into the page. Nothing is fetched, and no text of the data becomes HTML.
//
//   blocks   the map of the block indices
//   places   which block was at which place of an SM, in time
//   plain    the same under the plain schedule, on the same scale
//   way0...  three ways to do other work, likewise
//   sms      how much time each SM spent in started and in stolen blocks
//   stepper  the steps around the first finding, one by one
"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);

  // ---- parts ----------------------------------------------------------------

  const NS = "http://www.w3.org/2000/svg";

  function make(namespace, name, attributes, children) {
    const node = namespace ? document.createElementNS(namespace, name)
                           : document.createElement(name);
    for (const key of Object.keys(attributes || {}))
      node.setAttribute(key, attributes[key]);
    for (const child of children || [])
      node.append(child);
    return node;
  }
  const html = (name, attributes, ...children) => make(null, name, attributes, children);
  const svg = (name, attributes, ...children) => make(NS, name, attributes, children);

  const rect = (x, y, width, height, name) =>
    svg("rect", { x: x, y: y, width: Math.max(width, 0), height: height, class: name });

  function legend(entries) {
    const list = html("ul", { class: "legend" });
    for (const [name, text, more] of entries)
      list.append(html("li", {},
        svg("svg", { width: 22, height: 18, "aria-hidden": "true" },
          rect(2, 2, 16, 14, name), ...(more ? more() : [])), text));
    return list;
  }

  const cross = (x, y, size) => svg("path", { class: "fault",
    d: `M${x} ${y}l${size} ${size}m0 ${-size}l${-size} ${size}` });
  const ring = (x, y, size) => svg("rect", { class: "fault", x: x, y: y, width: size,
    height: size });
  const number = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");

  // Moves a choice among `count` things by keys; `across`: how many are in a row.
  function keys(node, count, across, current, choose) {
    node.addEventListener("keydown", (event) => {
      const moves = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across,
                      Home: -count, End: count };
      if (!(event.key in moves))
        return;
      event.preventDefault();
      choose(Math.min(count - 1, Math.max(0, current() + moves[event.key])));
    });
  }

  // ---- the map ----------------------------------------------------------------

  // A bin: [pending, started, stolen, lost, never, once, more].
  function binName(bin) {
    const most = Math.max(bin[0], bin[1], bin[2], bin[3]);
    return !most ? "unknown" : bin[3] ? "lost" : most === bin[0] ? "pending" : most === bin[1] ? "started"
         : "stolen";
  }

  function binText(map, index) {
    const bin = map.bins[index], from = index * map.each;
    const to = Math.min(from + map.each, map.blocks) - 1;
    const names = ["not begun", "started", "stolen", "lost"];
    const parts = names.map((name, i) => [bin[i], name]).filter((part) => part[0]);
    const said = parts.map((part) => map.each > 1 ? `${number(part[0])} ${part[1]}` : part[1]);
    if (bin[4])
      said.push(map.each > 1 ? `${number(bin[4])} never processed` : "never processed");
    if (bin[6])
      said.push(map.each > 1 ? `${number(bin[6])} more than once`
                             : "processed more than once");
    if (!said.length)
      said.push("not recorded");
    const who = from === to ? `Block ${from}` : `Blocks ${number(from)} to ${number(to)}`;
    return `${who}: ${said.join(", ")}.`;
  }

  function drawMap(home, map) {
    const wide = home.clientWidth || 360, count = map.bins.length;
    const size = Math.max(14, Math.min(30, Math.floor(wide / Math.min(count, 40))));
    const across = Math.max(1, Math.floor(wide / size));
    const rows = Math.ceil(count / across);
    const picture = svg("svg", { width: across * size, height: rows * size, tabindex: 0,
      role: "img", "aria-label": `Map of ${map.blocks} block indices; arrow keys tell of each` });
    const say = html("p", { class: "say", "aria-live": "polite" },
                     "Touch a square, or use the arrow keys.");
    const chosen = svg("rect", { class: "chosen", width: size - 2, height: size - 2,
                                 visibility: "hidden" });
    let now = 0;
    function choose(index) {
      now = index;
      chosen.setAttribute("x", index % across * size + 1);
      chosen.setAttribute("y", Math.floor(index / across) * size + 1);
      chosen.setAttribute("visibility", "visible");
      say.textContent = binText(map, index);
    }
    map.bins.forEach((bin, i) => {
      const x = i % across * size, y = Math.floor(i / across) * size;
      const cell = svg("g", {}, rect(x + 2, y + 2, size - 4, size - 4, binName(bin)));
      if (bin[4] || bin[3])
        cell.append(cross(x + 4, y + 4, size - 8));
      if (bin[6])
        cell.append(ring(x + 2, y + 2, size - 4));
      if (map.each === 1 && size >= 22 && count <= 10000) {
        const text = svg("text", { x: x + size / 2, y: y + size / 2 + 4,
                                   "text-anchor": "middle", "font-size": 10 });
        text.textContent = i;
        cell.append(text);
      }
      cell.addEventListener("click", () => choose(i));
      picture.append(cell);
    });
    picture.append(chosen);
    keys(picture, count, across, () => now, choose);
    const entries = [["started", "started"], ["stolen", "stolen"], ["pending", "not begun"],
                     ["lost", "given away and lost", () => [cross(5, 4, 10)]]];
    if (map.knows)
      entries.push(["pending", "never processed", () => [cross(5, 4, 10)]],
                   ["pending", "more than once", () => [ring(2, 2, 14)]]);
    home.replaceChildren(legend(entries), html("div", { class: "scroll" }, picture), say);
  }

  // ---- time -------------------------------------------------------------------

  const unitOf = (run) => run.timed ? "modelled cycles" : "steps";

  // A stay: [from, to, cta, block, sm, place, stolen].
  function stayText(run, stay) {
    const how = stay[6] ? `stolen by block ${stay[2]}` : "started";
    return `Block ${stay[3]}, ${how}: SM ${stay[4]}, place ${stay[5]}, from ` +
      `${number(stay[0])} to ${number(stay[1])} ${unitOf(run)}.`;
  }

  // `end`: of the scale, so that runs below each other can be compared.
  function drawPlaces(home, run, end) {
    const most = 64, row = 24, left = 64, top = 20;
    const seen = new Map();
    for (const stay of run.stays)
      seen.set(stay[4] * run.places + stay[5], true);
    const order = [...seen.keys()].sort((a, b) => a - b);
    const shown = order.slice(0, most);
    const wide = Math.max(720, (home.clientWidth || 720) - 4) - left - 8;
    const at = (time) => left + (end ? time / end * wide : 0);
    const picture = svg("svg", { width: wide + left + 8, height: shown.length * row + top,
      tabindex: 0, role: "img",
      "aria-label": `Blocks in time, at ${shown.length} places; arrow keys tell of each` });
    const say = html("p", { class: "say", "aria-live": "polite" },
                     "Touch a block, or use the arrow keys.");
    const chosen = svg("rect", { class: "chosen", height: row - 6, visibility: "hidden" });
    const stays = run.stays.filter((s) => shown.includes(s[4] * run.places + s[5]));
    let now = 0;
    const lineOf = (stay) => top + shown.indexOf(stay[4] * run.places + stay[5]) * row;
    function choose(index) {
      now = index;
      const stay = stays[index];
      chosen.setAttribute("x", at(stay[0]));
      chosen.setAttribute("y", lineOf(stay) + 3);
      chosen.setAttribute("width", Math.max(3, at(stay[1]) - at(stay[0])));
      chosen.setAttribute("visibility", "visible");
      say.textContent = stayText(run, stay);
    }
    for (const part of [0, 0.25, 0.5, 0.75, 1]) {
      const text = svg("text", { x: at(part * end), y: 13, class: "faint",
        "text-anchor": part === 1 ? "end" : part ? "middle" : "start" });
      text.textContent = number(Math.round(part * end)) + (part === 1 ? " " + unitOf(run) : "");
      picture.append(text);
    }
    shown.forEach((place, i) => {
      const text = svg("text", { x: 2, y: top + i * row + 16 });
      text.textContent = `SM ${Math.floor(place / run.places)}.${place % run.places}`;
      picture.append(text);
    });
    stays.forEach((stay, i) => {
      const x = at(stay[0]), width = Math.max(1.5, at(stay[1]) - x), y = lineOf(stay);
      const bar = svg("g", {}, rect(x, y + 3, width, row - 6, stay[6] ? "stolen" : "started"));
      if (width > 9 * String(stay[3]).length + 6) {
        const text = svg("text", { x: x + 4, y: y + 16 });
        text.textContent = stay[3];
        bar.append(text);
      }
      bar.addEventListener("click", () => choose(i));
      picture.append(bar);
    });
    picture.append(chosen);
    keys(picture, stays.length, 1, () => now, choose);
    home.replaceChildren(legend([["started", "started here"], ["stolen", "stolen"]]),
                         html("div", { class: "scroll" }, picture), say);
    if (order.length > most)
      home.append(html("p", {}, `${order.length - most} places more are not drawn.`));
  }

  // An SM: [started, stolen, time in started, time in stolen].
  function drawSms(home) {
    const most = Math.max(1, ...data.sms.map((sm) => sm[2] + sm[3]));
    const row = data.sms.length > 32 ? 8 : 20, left = 64;
    const wide = Math.max(200, (home.clientWidth || 360) - left - 12);
    const picture = svg("svg", { width: wide + left + 8, height: data.sms.length * row + 4,
      role: "img", "aria-label": "Time of each SM in started and in stolen blocks; the " +
                                 "figures are in the table below" });
    data.sms.forEach((sm, i) => {
      const own = sm[2] / most * wide, stolen = sm[3] / most * wide;
      if (row > 10) {
        const text = svg("text", { x: 2, y: i * row + 15 });
        text.textContent = `SM ${i}`;
        picture.append(text);
      }
      picture.append(rect(left, i * row + 2, own, row - 3, "started"),
                     rect(left + own, i * row + 2, stolen, row - 3, "stolen"));
    });
    home.replaceChildren(html("p", {}, `Time of each SM in blocks that were started there, ` +
      `and in stolen ones (${unitOf(data)}; places of an SM add up):`),
      html("div", { class: "scroll" }, picture));
  }

  // ---- the stepper --------------------------------------------------------------

  // A step: see put_event of report/html_data.c.
  const [AT, KIND, CTA, WARP, LINE, SHARED, VALUE, BLOCK, PENDING, TX, TEXT, NAME] =
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
  const BARS = ["init", "expect", "arrive", "bytes", "phase", "wait"];
  const SLOTS = ["request", "answer", "read"];
  const kindOf = (step) => data.kinds[step[KIND]];
  const laneOf = (step) => `${step[CTA]}.${step[WARP] === null ? "async" : step[WARP]}`;

  // What an object is after a step. A mbarrier's count of arrivals for the next
  // phase is known if its init has been seen.
  function changed(object, step) {
    const kind = kindOf(step), next = Object.assign({}, object);
    if (SLOTS.includes(kind)) {
      next.what = "slot";
      next.touched = kind === "request" ? "async proxy: an answer is on its way"
        : kind === "answer" ? "async proxy: wrote the answer, " +
            (step[BLOCK] === null ? "a refusal" : `block ${step[BLOCK]}`)
        : `generic proxy: warp ${step[WARP]} of block ${step[CTA]} read it`;
      return next;
    }
    next.what = "mbarrier";
    next.seen = "";
    if (kind === "init")
      next.count = step[VALUE];
    if (kind === "phase") {
      next.parity = 1 - step[VALUE];
      next.pending = next.count;
      next.tx = 0;
    } else if (kind === "wait") {
      next.seen = `warp ${step[WARP]} saw phase ${step[VALUE]} complete`;
    } else {
      next.pending = step[PENDING];
      next.tx = step[TX];
      if (kind === "init")
        next.parity = 0;
    }
    return next;
  }

  function stateAfter(moment, index) {
    const objects = new Map();
    const play = (step, isNow) => {
      const kind = kindOf(step);
      if (step[SHARED] === null || !(BARS.includes(kind) || SLOTS.includes(kind)))
        return;
      const key = `${step[CTA]} ${step[SHARED]}`;
      const before = { cta: step[CTA], at: step[SHARED], name: step[NAME] };
      const next = changed(objects.get(key) || before, step);
      next.isNow = isNow;
      objects.set(key, next);
    };
    moment.before.forEach((step) => play(step, false));
    moment.steps.slice(0, index + 1).forEach((step, i) => play(step, i === index));
    return [...objects.values()].sort((a, b) => a.cta - b.cta || a.at - b.at);
  }

  const known = (value) => value === undefined ? "?" : String(value);
  const counted = (value, name) => `${known(value)} ${name}${value === 1 ? "" : "s"}`;

  function objectRow(object) {
    const state = object.what === "slot" ? object.touched
      : `phase of parity ${known(object.parity)}; ${counted(object.pending, "arrival")} and ` +
        `${counted(object.tx, "byte")} left` + (object.seen ? `; ${object.seen}` : "");
    return html("tr", { class: object.isNow ? "news" : "" },
      html("td", {}, String(object.cta)), html("td", {}, `${object.what} ${object.name}`),
      html("td", {}, state));
  }

  // What each warp did last: where it is.
  function warpRows(moment, index) {
    const last = new Map();
    moment.steps.slice(0, index + 1).filter((step) => step[WARP] !== null)
      .forEach((step) => last.set(laneOf(step), step));
    const warps = [...last.values()].sort((a, b) => a[CTA] - b[CTA] || a[WARP] - b[WARP]);
    const did = (step) => kindOf(step) === "found" ? `${moment.code} is found` : step[TEXT];
    return warps.map((step) => html("tr", { class: step === moment.steps[index] ? "news" : "" },
      html("td", {}, String(step[CTA])), html("td", {}, String(step[WARP])),
      html("td", {}, step[LINE] ? `${step[LINE]}: ${did(step)}` : did(step))));
  }

  // A table of the state after a step, whose rows are put in later.
  function stateTable(caption, names, body) {
    return html("table", {}, html("caption", {}, caption),
      html("thead", {}, html("tr", {}, ...names.map((name) => html("th", {}, name)))), body);
  }

  function drawLanes(moment, other, room, choose) {
    const row = 24, top = 6, names = [...new Set(moment.steps.map(laneOf))];
    names.sort((a, b) => parseInt(a, 10) - parseInt(b, 10) ||
      (a.endsWith("async") ? 1 : b.endsWith("async") ? -1
        : Number(a.split(".")[1]) - Number(b.split(".")[1])));
    const said = moment.steps.map((step, i) => i === moment.found ? `${moment.code} is found`
                                                                   : step[TEXT]);
    const label = 34 + 7.2 * Math.max(...said.map((text) => text.length));
    const lane = Math.max(22, Math.min(64, (room - label) / names.length));
    const x = (step) => 14 + names.indexOf(laneOf(step)) * lane;
    const y = (i) => top + i * row + row / 2;
    const wide = 14 + names.length * lane + label;
    const picture = svg("svg", { width: wide, height: top + moment.steps.length * row + 8,
                                 "aria-hidden": "true" });
    const heads = svg("svg", { class: "heads", width: wide, height: 40, "aria-hidden": "true" });
    names.forEach((name, i) => {
      const [cta, warp] = name.split("."), at = 14 + i * lane;
      const first = i === 0 || names[i - 1].split(".")[0] !== cta;
      for (const [text, line] of [[first ? `block ${cta}` : "", 14],
                                  [warp === "async" ? (lane < 40 ? "as." : "async") : `w${warp}`, 32]]) {
        const label = svg("text", { x: at, y: line, "text-anchor": first && line === 14
          ? "start" : "middle", class: line === 32 ? "faint" : "" });
        label.textContent = text;
        heads.append(label);
      }
      picture.append(svg("line", { class: "rail", x1: at, x2: at, y1: top,
                                   y2: top + moment.steps.length * row }));
    });
    const rows = moment.steps.map((step, i) => {
      const found = i === moment.found;
      const name = found ? "found" : i === other ? "near" : step[WARP] === null ? "async" : "";
      const text = svg("text", { x: 20 + names.length * lane, y: y(i) + 4,
                                 class: found ? "gap-text" : "" });
      text.textContent = said[i];
      const band = rect(0, top + i * row, wide, row, "row");
      const group = svg("g", {}, band,
        svg("circle", { class: "dot " + name, cx: x(step), cy: y(i), r: found ? 7 : 5 }), text);
      group.addEventListener("click", () => choose(i));
      picture.append(group);
      return { group: group, band: band };
    });
    if (other >= 0)
      picture.append(...arrow(moment, other, x, y));
    return { heads: heads, picture: picture, rows: rows, y: y };
  }

  // The order that is missing is an arrow that is not whole: dashed, and crossed out.
  function arrow(moment, other, x, y) {
    const from = moment.steps[other], to = moment.steps[moment.found];
    const x1 = x(from), y1 = y(other), x2 = x(to), y2 = y(moment.found);
    const bend = Math.max(x1, x2) + 26, name = moment.missing ? "gap" : "edge";
    const line = svg("path", { class: name,
      d: `M${x1} ${y1}Q${bend} ${(y1 + y2) / 2} ${x2} ${y2}` });
    if (!moment.missing)
      return [line];
    // The cross is near the finding, so that both are seen at once.
    const t = 1 - Math.min(0.5, 84 / (y2 - y1)), my = y1 + (y2 - y1) * t;
    const mx = (1 - t) * (1 - t) * x1 + 2 * t * (1 - t) * bend + t * t * x2;
    const label = svg("text", { class: "gap-text", x: mx + 12, y: my + 4 });
    label.textContent = "no order";
    return [line, cross(mx - 7, my - 7, 14), label];
  }

  function sourceLine(number) {
    const line = document.getElementById("L" + number);
    return line ? line.querySelector("code").textContent : "";
  }

  function drawStepper(home, moment) {
    const other = moment.origin ?? -1, last = moment.steps.length - 1;
    const button = (text, name, act) => {
      const node = html("button", { type: "button", "aria-label": name }, text);
      node.addEventListener("click", act);
      return node;
    };
    let now = moment.found;
    const first = button("\u21e4", "first step", () => choose(0));
    const back = button("\u2190 back", "back", () => choose(now - 1));
    const on = button("forward \u2192", "forward", () => choose(now + 1));
    const goal = button("to the finding", "to the finding", () => choose(moment.found));
    const cause = button("to where it began", "to where it began", () => choose(other));
    const slider = html("input", { type: "range", min: 0, max: last, "aria-label": "step" });
    slider.addEventListener("input", () => choose(Number(slider.value)));
    const told = html("div", { class: "told", "aria-live": "polite" });
    const body = html("tbody", {}), warps = html("tbody", {});
    const objects = html("div", { class: "objects" },
      stateTable("Shared memory after this step", ["block", "what", "state"], body),
      stateTable("Where each warp is", ["block", "warp", "line, and what it did last"], warps));
    const whole = home.clientWidth || 360; // on a wide page the state is beside the lanes
    const lanes = drawLanes(moment, other, whole > 720 ? whole * 0.55 : whole, choose);
    const scroll = html("div", { class: "scroll", tabindex: 0, role: "group",
      "aria-label": "steps of the warps; arrow keys go back and forward" }, lanes.heads, lanes.picture);

    function tell(step) {
      const who = step[WARP] === null ? `block ${step[CTA]}, async proxy`
                                      : `block ${step[CTA]}, warp ${step[WARP]}`;
      const what = now === moment.found ? `${moment.code} is found.` : step[TEXT];
      const nodes = [html("p", {}, `Step ${now + 1} of ${last + 1}: ${who}`),
                     html("p", {}, html("strong", {}, what))];
      if (step[LINE])
        nodes.push(html("pre", {}, `${step[LINE]}  ${sourceLine(step[LINE])}`));
      if (now === moment.found && moment.missing)
        nodes.push(html("p", {}, `Missing: ${moment.missing}`));
      told.className = "told" + (now === moment.found ? " wrong" : "");
      told.replaceChildren(...nodes);
    }

    function choose(index) {
      now = Math.min(last, Math.max(0, index));
      slider.value = now;
      first.disabled = back.disabled = now === 0;
      on.disabled = now === last;
      cause.disabled = other < 0;
      lanes.rows.forEach((row, i) => {
        row.band.setAttribute("class", i === now ? "row now" : "row");
        row.group.setAttribute("class", i > now ? "future" : "");
      });
      scroll.scrollTop = lanes.y(now) + 40 - scroll.clientHeight / 2;
      tell(moment.steps[now]);
      body.replaceChildren(...stateAfter(moment, now).map(objectRow));
      warps.replaceChildren(...warpRows(moment, now));
      document.querySelectorAll(".source li.now").forEach((li) => li.classList.remove("now"));
      const line = document.getElementById("L" + moment.steps[now][LINE]);
      if (line)
        line.classList.add("now");
    }

    keys(scroll, last + 1, 1, () => now, choose);
    home.replaceChildren(html("div", { class: "controls" }, first, back, on, cause, goal, slider),
      html("div", { class: "stage" }, scroll, html("div", {}, told, objects)));
    if (moment.leftOut)
      home.append(html("p", {}, `${number(moment.leftOut)} earlier steps of these warps are ` +
                                "left out."));
    choose(now);
  }

  // ---- all ------------------------------------------------------------------------

  drawMap(document.getElementById("blocks"), data.map);
  const scale = Math.max(data.end, data.plain ? data.plain.end : 0);
  drawPlaces(document.getElementById("places"), data, scale);
  if (data.plain)
    drawPlaces(document.getElementById("plain"), data.plain, scale);
  const ways = data.ways || [];
  ways.forEach((way, i) => drawPlaces(document.getElementById("way" + i), way,
                                      Math.max(...ways.map((other) => other.end))));
  drawSms(document.getElementById("sms"));
  if (data.moment)
    drawStepper(document.getElementById("stepper"), data.moment);
})();
