"use strict";
// Moves the focus, opens wire lines, remembers the theme. Everything that came off a wire reaches the page as text.
(() => {
  const $ = (selector, under = document) => under.querySelector(selector);
  const $$ = (selector, under = document) => [...under.querySelectorAll(selector)];
  const make = (name, className, text) => {
    const element = document.createElement(name);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  // -- theme -------------------------------------------------------------------------------------------
  const themes = ["system", "light", "dark"];
  const remembered = () => { try { return localStorage.getItem("parity-theme"); } catch { return null; } };
  const setTheme = (theme) => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    $("[data-theme-name]").textContent = theme;
    $('[data-do="theme"]').setAttribute("aria-label", `Colour theme: ${theme === "system" ? "as the system" : theme}`);
    try { localStorage.setItem("parity-theme", theme); } catch { /* a page that may not remember still works */ }
  };
  let theme = themes.includes(remembered()) ? remembered() : "system";
  setTheme(theme);
  const nextTheme = () => setTheme(theme = themes[(themes.indexOf(theme) + 1) % themes.length]);

  // -- keys --------------------------------------------------------------------------------------------
  const help = $("#help");
  const arrows = { ArrowUp: "k", ArrowDown: "j", ArrowLeft: "h", ArrowRight: "l" };
  const keys = { "?": () => help.showModal(), t: nextTheme };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    const act = keys[arrows[event.key] || event.key];
    if (act && act(event) !== false) event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    const act = event.target.closest("[data-do]");
    if (act) ({ theme: nextTheme, help: keys["?"], only: () => keys.o() })[act.dataset.do]();
  });

  // -- the matrix --------------------------------------------------------------------------------------
  const grid = $(".matrix tbody");
  if (grid) {
    const rows = $$("tr", grid).map((row) => $$("td", row).map((cell) => $("a", cell)));
    const cells = rows.flat().filter(Boolean);
    let current = cells[0];
    for (const cell of cells) cell.tabIndex = cell === current ? 0 : -1;
    const visit = (cell) => {
      if (!cell) return;
      current.tabIndex = -1;
      current = cell;
      cell.tabIndex = 0;
      cell.focus();
      cell.scrollIntoView({ block: "nearest", inline: "nearest" });
    };
    grid.addEventListener("focusin", (event) => {
      const cell = event.target.closest("a.cell");
      if (cell && cell !== current) { current.tabIndex = -1; current = cell; cell.tabIndex = 0; }
    });
    const at = () => {
      const row = rows.findIndex((one) => one.includes(current));
      return [row, rows[row].indexOf(current)];
    };
    const inside = (then) => (event) => {
      if (!grid.contains(document.activeElement)) {
        if (arrows[event.key] && document.activeElement !== document.body) return false;
        return visit(current);
      }
      return then();
    };
    const across = (step) => inside(() => {
      const [row, column] = at();
      for (let i = column + step; i >= 0 && i < rows[row].length; i += step) if (rows[row][i]) return visit(rows[row][i]);
    });
    const along = (step) => inside(() => {
      const [row, column] = at();
      for (let i = row + step; i >= 0 && i < rows.length; i += step) if (rows[i][column]) return visit(rows[i][column]);
      const next = rows[row + step];
      if (next) visit(next.map((cell, i) => [cell, Math.abs(i - column)]).filter(([cell]) => cell).sort((a, b) => a[1] - b[1])[0]?.[0]);
    });
    const failing = cells.filter((cell) => cell.classList.contains("is-failed"));
    const seek = (step) => () => {
      if (!failing.length) return;
      const from = grid.contains(document.activeElement) ? cells.indexOf(current) : step > 0 ? -1 : cells.length;
      const ahead = failing.filter((cell) => (cells.indexOf(cell) - from) * step > 0);
      visit(step > 0 ? ahead[0] || failing[0] : ahead.at(-1) || failing.at(-1));
    };
    Object.assign(keys, { j: along(1), k: along(-1), l: across(1), h: across(-1), n: seek(1), p: seek(-1) });
    const named = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (cells.includes(named)) visit(named);
  }

  // -- a cell's rows and their wire lines --------------------------------------------------------------
  const timeline = $(".timeline");
  if ($("[data-back]")) {
    const go = (link) => { if (link) location.href = link.href; };
    keys["["] = () => go($('[data-near="before"]'));
    keys["]"] = () => go($('[data-near="after"]'));
    keys.Escape = () => {
      const pair = document.activeElement.closest(".pair");
      const button = pair && $(".open", pair);
      if (button && button.getAttribute("aria-expanded") === "true") { toggle(pair, false); button.focus(); } else go($("[data-back]"));
    };
  }
  if (!timeline) return;
  let wire;
  const data = () => wire || (wire = JSON.parse($("#wire-data").textContent));

  const coloured = (text, into) => {
    const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
    let from = 0;
    for (const match of text.matchAll(token)) {
      into.append(text.slice(from, match.index));
      const className = match[2] ? "j-key" : match[1] ? "j-text" : "j-word";
      into.append(make("span", className, match[1] || match[0]), match[2] || "");
      from = match.index + match[0].length;
    }
    into.append(text.slice(from));
  };
  const longId = /"(?=[^"]*\d)([\w-]{8})[\w-]{12,}"(?!:)/g;
  const parsed = (text) => { try { return JSON.parse(text); } catch { return undefined; } };
  const lineElement = (name, isOpen) => {
    const line = data().lines[name];
    const message = parsed(line.text);
    const about = message && typeof message === "object" ? message : {};
    const details = make("details");
    const summary = make("summary");
    const method = about.method || about.type || ("id" in about ? `answer to ${about.id}` : "");
    const gist = about.params ?? about.result ?? about.error ?? about.message ?? line.text;
    summary.append(
      make("span", "seq", name.split(" ")[0]),
      make("span", "lane", line.dir),
      make("span", "method", String(method)),
      make("span", "gist", (typeof gist === "string" ? gist : JSON.stringify(gist)).slice(0, 900).replace(longId, '"$1…"').slice(0, 240)),
    );
    details.append(summary);
    const render = () => {
      if (!details.open || details.childElementCount > 1) return;
      if (line.bytes) details.append(make("p", "cut", `Shortened: ${line.bytes.toLocaleString("en")} bytes on the wire.`));
      const pre = make("pre");
      if (message === undefined) pre.textContent = line.text;
      else coloured(JSON.stringify(message, null, 2), pre);
      details.append(pre);
    };
    details.addEventListener("toggle", render);
    if (isOpen) { details.open = true; render(); }
    return details;
  };
  const fill = (pair, place) => {
    const { lines, omitted, naming } = data().rows[pair.dataset.row];
    if (!lines.length) place.append(make("p", "group", naming.length ? "Nothing here says which lines this row came from; these name its call." : "Nothing recorded is behind this row."));
    else place.append(make("p", "group", `${lines.length + omitted === 1 ? "The line" : `The ${lines.length + omitted} lines`} this row came from${omitted ? `, ${omitted} in the middle left out` : ""}`));
    place.append(...lines.map((name) => lineElement(name, lines.length <= 2)));
    if (lines.length && naming.length) place.append(make("p", "group", "These name the call too, and changed nothing of the row"));
    place.append(...naming.map((name) => lineElement(name, false)));
  };
  const toggle = (pair, isOpen) => {
    const button = $(".open", pair);
    const place = document.getElementById(button.getAttribute("aria-controls"));
    if (isOpen && !place.childElementCount) fill(pair, place);
    place.hidden = !isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
  };
  timeline.addEventListener("click", (event) => {
    const two = event.target.closest(".two");
    if (!two || event.target.closest("summary, details > *")) return;
    if (!event.target.closest(".open") && String(getSelection())) return;
    const button = $(".open", two);
    toggle(two.parentElement, button.getAttribute("aria-expanded") !== "true");
    button.focus({ preventScroll: true });
  });

  const isSeen = (element) => element.offsetParent !== null;
  const stops = () => $$(".open, .wire:not([hidden]) summary", timeline).filter((one) => isSeen(one));
  const focus = (element) => {
    if (!element) return;
    element.focus();
    (element.closest(".wire") ? element : element.closest(".pair")).scrollIntoView({ block: "nearest" });
  };
  const move = (step) => () => {
    const all = stops();
    const at = all.indexOf(document.activeElement);
    focus(at < 0 ? all[step > 0 ? 0 : all.length - 1] : all[at + step]);
  };
  const differing = (step) => () => {
    const all = $$(".pair:not(.is-same) .open", timeline);
    if (!all.length) return;
    const here = document.activeElement.closest(".pair");
    const order = $$(".pair", timeline);
    const from = here ? order.indexOf(here) : step > 0 ? -1 : order.length;
    const ahead = all.filter((one) => (order.indexOf(one.closest(".pair")) - from) * step > 0);
    focus(step > 0 ? ahead[0] || all[0] : ahead.at(-1) || all.at(-1));
  };
  keys.j = move(1);
  keys.k = move(-1);
  keys.n = differing(1);
  keys.p = differing(-1);
  keys.o = () => {
    const button = $('[data-do="only"]');
    if (!button) return;
    const isOnly = timeline.classList.toggle("only");
    button.setAttribute("aria-pressed", String(isOnly));
  };
})();
