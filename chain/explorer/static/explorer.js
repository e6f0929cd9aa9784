"use strict";
// Every page works without this. It steps boards without loading whole pages, shows what is new, and adds keys.
(() => {
  const { src } = document.currentScript;  // other files are beside it, wherever the pages are
  const find = (selector, from = document) => from.querySelector(selector);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];

  async function load(url, part) {
    const answer = await fetch(url, part ? { headers: { "x-part": part } } : {});
    if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  }

  function swap(id, page) {
    const now = document.getElementById(id), next = page.getElementById(id);
    if (now && next) now.replaceWith(document.adoptNode(next));
    return next;
  }

  // Boards: the step that is wanted, and the one that is shown. A held key ends where it was let go.

  const board = find("#board");
  const stage = () => find("#stage");
  const log = () => find("#log");
  const shown = () => Number(stage().dataset.ply);
  const count = () => Number(stage().dataset.count);
  const stages = new Map();
  let wanted = board && shown(), isStepping = false;

  function stageOf(ply) {
    if (!stages.has(ply)) {
      if (stages.size > 40) stages.delete(stages.keys().next().value);
      const coming = load(`${board.dataset.url}/${ply}`, "stage");
      stages.set(ply, coming);
      coming.catch(() => stages.delete(ply));
    }
    return stages.get(ply);
  }

  async function go(ply) {
    wanted = Math.max(1, Math.min(ply, count()));
    find("input[name=ply]").value = wanted;
    if (isStepping) return;
    isStepping = true;
    try {
      while (shown() !== wanted) await show(wanted);
    } catch {
      location.href = `${board.dataset.url}/${wanted}`;
    } finally {
      isStepping = false;
    }
    for (const near of [wanted + 1, wanted - 1]) if (near >= 1 && near <= count()) stageOf(near).catch(() => 0);
  }

  async function show(ply) {
    const page = await stageOf(ply);
    const focus = document.activeElement?.closest("#stage") && selectorOf(document.activeElement);
    const next = find("#stage", page).cloneNode(true);
    stage().replaceWith(document.adoptNode(next));
    if (focus) find(focus, next)?.focus();
    find("input[name=ply]").value = wanted;
    history.replaceState(null, "", `${board.dataset.url}/${ply}`);
    document.title = next.dataset.title + " · Boardchain";
    if (!find(`[data-ply="${ply}"]`, log())) swap("log", await load(location.pathname, "log"));
    mark(ply);
  }

  const selectorOf = (element) =>
    element.dataset.step ? `[data-step=${element.dataset.step}]` : element.name ? `[name=${element.name}]` : null;

  function mark(ply) {
    find("[aria-current=step]", log())?.removeAttribute("aria-current");
    const item = find(`[data-ply="${ply}"]`, log());
    if (!item) return;
    item.setAttribute("aria-current", "step");
    const list = find("ol", log()), box = list.getBoundingClientRect(), row = item.getBoundingClientRect();
    if (row.top < box.top || row.bottom > box.bottom) list.scrollTop += row.top - box.top - box.height / 2;
  }

  if (board) {
    mark(shown());
    for (const near of [wanted + 1, wanted - 1]) if (near >= 1 && near <= count()) stageOf(near).catch(() => 0);
    board.addEventListener("click", (event) => {
      const link = event.target.closest("[data-step],[data-ply]");
      if (!link || link.id === "stage" || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
      event.preventDefault();
      go(link.dataset.ply ? Number(link.dataset.ply) : target(link.dataset.step));
    });
    board.addEventListener("input", (event) => event.target.name === "ply" && go(Number(event.target.value)));
    board.addEventListener("submit", (event) => event.preventDefault());
  }
  const target = (step) => ({ first: 1, back: wanted - 1, on: wanted + 1, last: count() })[step];

  // Live: a page is told that there is something new, and fetches what it shows.

  let cuts = null, isFetching = false, isStale = false;

  async function refresh() {
    if (isFetching) return void (isStale = true);
    isFetching = true;
    try {
      const part = find("[data-live]");
      if (part && !part.contains(document.activeElement)) await renew(part);
      if (board) await follow();
    } catch { /* the node is gone; the dot says so */ }
    isFetching = false;
    if (isStale) { isStale = false; refresh(); }
  }

  async function renew(part) {
    const had = new Set(all("[data-key]", part).map((row) => row.dataset.key));
    const next = swap(part.id, await load(location.href, part.dataset.live));
    if (next && had.size) for (const row of all("[data-key]", next)) if (!had.has(row.dataset.key)) row.classList.add("new");
  }

  async function follow() {
    const before = count(), atEnd = wanted === before;
    const page = await load(board.dataset.url);
    const now = Number(find("#stage", page).dataset.count);
    if (now === before) return;
    stage().dataset.count = now;
    find("input[name=ply]").max = now;
    find("output", stage()).textContent = `${shown()} of ${now}`;
    stages.clear();
    if (Number(find("#log", page).dataset.chunk) === Number(log().dataset.chunk) || atEnd) swap("log", page);
    if (atEnd) go(now); else mark(shown());
  }

  function listen() {
    const news = new EventSource(new URL("live", src));
    news.onopen = () => find("#dot").classList.add("live");
    news.onerror = () => find("#dot").classList.remove("live");
    news.onmessage = (event) => {
      const state = JSON.parse(event.data);
      if (cuts !== null && state.cuts !== cuts) return location.reload();
      const isFirst = cuts === null;
      cuts = state.cuts;
      find("#head").textContent = state.block;
      find(".head").href = find(".head").href.replace(/\d+$/, state.block);
      if (!isFirst || String(state.block) !== document.body.dataset.block) refresh();
    };
    return news;
  }

  let news = document.hidden ? null : listen();
  document.addEventListener("visibilitychange", () => {
    news?.close();
    news = document.hidden ? null : listen();
  });
  addEventListener("pagehide", () => news?.close());

  // Keys

  const KEYS = [["← → or k j", "previous and next: step of a board, transaction, block"], ["Home End", "first and last step"],
    ["j k, Enter", "down and up a list, open"], ["/", "search"], ["Esc", "leave a field"], ["?", "these keys"]];

  function help() {
    if (find("dialog")) return find("dialog").showModal();
    const dialog = document.body.appendChild(document.createElement("dialog")), table = document.createElement("table");
    for (const [key, what] of KEYS) {
      const row = table.insertRow();
      for (const text of [key, what]) row.insertCell().textContent = text;
    }
    dialog.setAttribute("aria-label", "Keys");
    dialog.append(table);
    dialog.showModal();
  }

  const isText = (element) => element.matches("textarea,select,dialog,input:not([type=range],[type=checkbox])");

  function move(by) {
    const rows = all("a.row"), at = rows.indexOf(document.activeElement);
    rows[Math.max(0, Math.min(at + by, rows.length - 1))]?.focus();
    return rows.length > 0;
  }

  function press(key) {
    const back = key === "ArrowLeft" || key === "k", on = key === "ArrowRight" || key === "j";
    if (key === "/") find(".search input").focus();
    else if (key === "?") help();
    else if (board && (back || on)) go(wanted + (on ? 1 : -1));
    else if (board && (key === "Home" || key === "0")) go(1);
    else if (board && (key === "End" || key === "$")) go(count());
    else if (key === "j" || key === "k") return move(key === "j" ? 1 : -1);
    else if (back || on) find(`main a[rel=${on ? "next" : "prev"}]`)?.click();
    else return false;
    return true;
  }

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    if (event.key === "Escape") return document.activeElement.blur();
    if (!isText(event.target) && press(event.key)) event.preventDefault();
  });

  // A slider over blocks shows the part of the page that depends on it.

  document.addEventListener("input", (event) => {
    const form = event.target.closest("form[data-part]");
    if (form) find("output", form).textContent = event.target.value;
  });
  document.addEventListener("change", async (event) => {
    const form = event.target.closest("form[data-part]");
    if (!form) return;
    const url = `${form.getAttribute("action")}?${new URLSearchParams(new FormData(form))}`, { name } = event.target;
    const next = swap(form.dataset.part, await load(url, form.dataset.part));
    find(`[name=${name}]`, next)?.focus();
    history.replaceState(null, "", url);
  });

  const button = find("#help");
  button.hidden = false;
  button.addEventListener("click", help);
  for (const field of all("[data-submit]")) field.addEventListener("change", () => field.form.requestSubmit());
})();
