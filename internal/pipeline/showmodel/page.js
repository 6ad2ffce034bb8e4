"use strict";
(() => {
  const $ = id => document.getElementById(id);
  const view = $("view"), svg = view.querySelector("svg"), nodes = JSON.parse($("data").textContent);
  const byId = new Map(nodes.map(n => [n.id, n]));
  const boxes = new Map();
  for (const g of svg.querySelectorAll("g[data-id]")) {
    const r = g.querySelector("rect"), at = k => +r.getAttribute(k);
    boxes.set(g.dataset.id, {g, x: at("x") + at("width") / 2, y: at("y") + at("height") / 2});
  }
  const users = new Map();
  for (const n of nodes)
    for (const v of n.in || [])
      if (v.id) users.set(v.id, (users.get(v.id) || new Set()).add(n.id));

  // The picture: a point of it at the upper left corner, and a scale.
  const W = +svg.getAttribute("width"), H = +svg.getAttribute("height");
  let x = 0, y = 0, scale = 1;
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  view.classList.add("on");
  $("find").hidden = $("zoom").hidden = false;
  // Part of the picture stays in sight.
  const within = (p, size, room) => Math.max(-0.7 * room, Math.min(p, size - 0.3 * room));
  const draw = () => {
    asked = false;
    const w = view.clientWidth / scale, h = view.clientHeight / scale;
    x = within(x, W, w);
    y = within(y, H, h);
    svg.setAttribute("viewBox", `${x} ${y} ${w} ${h}`);
  };
  let asked = false; // however many events there are, one drawing a frame
  const show = () => {
    if (!asked) requestAnimationFrame(draw);
    asked = true;
  };
  const fit = () => {
    scale = Math.min(2, view.clientWidth / W, view.clientHeight / H);
    x = (W - view.clientWidth / scale) / 2;
    y = (H - view.clientHeight / scale) / 2;
    show();
  };
  const start = () => { // the top, as wide as it is readable
    scale = Math.max(0.35, Math.min(1, view.clientWidth / W));
    const first = boxes.get(nodes[0] && nodes[0].id);
    x = (W > view.clientWidth / scale && first ? first.x : W / 2) - view.clientWidth / scale / 2;
    y = 0;
    show();
  };
  const zoom = (by, px = view.clientWidth / 2, py = view.clientHeight / 2) => {
    const s = Math.max(0.01, Math.min(4, scale * by));
    x += px / scale - px / s;
    y += py / scale - py / s;
    scale = s;
    show();
  };
  const move = (dx, dy) => { x += dx / scale; y += dy / scale; show(); };
  const centre = id => {
    const b = boxes.get(id);
    if (scale < 0.5) scale = 0.9;
    x = b.x - view.clientWidth / scale / 2;
    y = b.y - view.clientHeight / scale / 2;
    show();
  };
  view.addEventListener("wheel", e => {
    e.preventDefault();
    const unit = e.deltaMode ? 30 : 1, r = view.getBoundingClientRect();
    if (e.ctrlKey || e.metaKey) zoom(Math.exp(-e.deltaY * unit / 300), e.clientX - r.left, e.clientY - r.top);
    else if (e.shiftKey && !e.deltaX) move(e.deltaY * unit, 0);
    else move(e.deltaX * unit, e.deltaY * unit);
  }, {passive: false});
  const down = new Map(); // pointers
  let moved = 0;
  view.addEventListener("pointerdown", e => {
    if (e.button || e.target.closest("button")) return;
    if (!down.size) moved = 0;
    down.set(e.pointerId, [e.clientX, e.clientY]);
  });
  view.addEventListener("pointermove", e => {
    const p = down.get(e.pointerId);
    if (!p) return;
    const dx = e.clientX - p[0], dy = e.clientY - p[1];
    moved += Math.abs(dx) + Math.abs(dy);
    if (moved < 4) return;
    if (!view.hasPointerCapture(e.pointerId)) view.setPointerCapture(e.pointerId);
    view.classList.add("drag");
    if (down.size === 2) { // two fingers: their distance is the scale
      const q = [...down].find(([id]) => id !== e.pointerId)[1], r = view.getBoundingClientRect();
      const was = Math.hypot(p[0] - q[0], p[1] - q[1]), is = Math.hypot(e.clientX - q[0], e.clientY - q[1]);
      if (was && is) zoom(is / was, (e.clientX + q[0]) / 2 - r.left, (e.clientY + q[1]) / 2 - r.top);
      move(-dx / 2, -dy / 2);
    } else move(-dx, -dy);
    down.set(e.pointerId, [e.clientX, e.clientY]);
  });
  const up = e => { down.delete(e.pointerId); if (!down.size) view.classList.remove("drag"); };
  view.addEventListener("pointerup", up);
  view.addEventListener("pointercancel", up);
  view.addEventListener("click", e => {
    if (moved >= 4) return;
    const g = e.target.closest("g[data-id],g[data-ref]");
    if (!g) return;
    select(g.dataset.id || g.dataset.ref, !!g.dataset.ref);
  });
  $("in").onclick = () => zoom(1.4);
  $("out").onclick = () => zoom(1 / 1.4);
  $("fit").onclick = fit;
  new ResizeObserver(show).observe(view);

  // The selected node. Text is set as text, never as markup.
  const el = (tag, text, cls) => {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    if (cls) e.className = cls;
    return e;
  };
  const link = (id, text) => {
    const a = el("a", text);
    a.tabIndex = 0;
    a.onclick = () => select(id, true);
    a.onkeydown = e => { if (e.key === "Enter") select(id, true); };
    return a;
  };
  let selected = [];
  const select = (id, go) => {
    const n = byId.get(id);
    if (!n) return;
    for (const s of selected) boxes.get(s).g.classList.remove("sel", "near");
    const near = [...(users.get(id) || []), ...(n.in || []).map(v => v.id).filter(Boolean)];
    selected = [id, ...near];
    for (const s of near) boxes.get(s).g.classList.add("near");
    boxes.get(id).g.classList.remove("near");
    boxes.get(id).g.classList.add("sel");
    const dl = el("dl"), row = (name, ...what) => {
      dl.append(el("dt", name));
      const dd = el("dd");
      dd.append(...what);
      dl.append(dd);
    };
    if (n.opaque) row("kept", el("span", "as it is: " + n.opaque, "w"));
    if (n.attrs) row("attributes", n.attrs.split(/, (?=[a-z_]+=)/).join("\n"));
    for (const v of n.in || []) {
      const from = v.id ? link(v.id, v.name) : el("span", v.name);
      row(v.fixed ? "weight" : "operand", from, "\n" + v.type);
    }
    for (const v of n.out) row(n.output ? "result, output" : "result", v.name + "\n" + v.type);
    const us = [...(users.get(id) || [])];
    if (us.length) {
      const parts = [];
      us.forEach((u, i) => parts.push(i ? "\n" : "", link(u, byId.get(u).name), " " + byId.get(u).op));
      row("read by", ...parts);
    }
    if (n.params && n.params !== "0") row("parameters", n.params);
    if (n.flops) row("FLOPs", n.flops);
    if (n.bytes) row("bytes moved", n.bytes);
    if (n.time) row("time", n.time);
    if (n.layout) row("layout", n.layout);
    if (n.sends) row("sends", n.sends);
    const h = el("h2", n.name + " ");
    h.append(el("small", n.op));
    $("node").replaceChildren(h, dl);
    history.replaceState(null, "", "#" + id);
    if (go) centre(id);
  };

  // The search: words that must all occur.
  const plain = s => s.toLowerCase().replace(/×/g, "x");
  const text = new Map(nodes.map(n => [n.id, plain([n.name, n.op, n.attrs || "", ...n.out.map(v => v.type),
    ...(n.in || []).filter(v => v.fixed).map(v => v.name + " " + v.type)].join(" "))]));
  let hits = [], at = -1, op = "";
  const search = () => {
    const words = plain($("q").value).split(/\s+/).filter(Boolean);
    hits = words.length || op ? nodes.filter(n => (!op || n.op === op) && words.every(w => text.get(n.id).includes(w))).map(n => n.id) : [];
    at = -1;
    svg.classList.toggle("found", !!(words.length || op));
    for (const [id, b] of boxes) b.g.classList.remove("hit");
    for (const id of hits) boxes.get(id).g.classList.add("hit");
    for (const r of document.querySelectorAll("#ops tr[data-op]")) r.classList.toggle("cur", r.dataset.op === op);
    $("hits").textContent = !words.length && op && !hits.length ? "not drawn" : words.length || op ? `${hits.length} found` : "";
  };
  const step = by => {
    if (!hits.length) return;
    at = at < 0 && by < 0 ? hits.length - 1 : (at + by + hits.length) % hits.length;
    $("hits").textContent = `${at + 1} of ${hits.length}`;
    select(hits[at], true);
  };
  $("q").addEventListener("input", search);
  $("find").addEventListener("submit", e => e.preventDefault());
  $("q").addEventListener("keydown", e => {
    if (e.key === "Enter") { e.preventDefault(); step(e.shiftKey ? -1 : 1); }
    if (e.key === "Escape") { $("q").value = op = ""; search(); view.focus(); }
  });
  $("next").onclick = () => step(1);
  $("prev").onclick = () => step(-1);
  $("ops").addEventListener("click", e => {
    const r = e.target.closest("tr[data-op]");
    if (!r) return;
    op = op === r.dataset.op ? "" : r.dataset.op;
    search();
    step(1);
  });
  document.addEventListener("keydown", e => {
    if (e.target.closest("input,button") || e.ctrlKey || e.metaKey || e.altKey) return;
    const keys = {"+": () => zoom(1.4), "=": () => zoom(1.4), "-": () => zoom(1 / 1.4), "0": fit, "1": start,
      "/": () => $("q").focus(), "n": () => step(1), "p": () => step(-1),
      "ArrowUp": () => move(0, -60), "ArrowDown": () => move(0, 60), "ArrowLeft": () => move(-60, 0), "ArrowRight": () => move(60, 0),
      "PageUp": () => move(0, -0.9 * view.clientHeight), "PageDown": () => move(0, 0.9 * view.clientHeight),
      "Home": () => { y = 0; show(); }, "End": () => { y = H; show(); }};
    const f = keys[e.key];
    if (!f) return;
    e.preventDefault();
    f();
  });

  start();
  const to = location.hash.slice(1);
  if (boxes.has(to)) select(to, true);
  const hint = el("p", "Drag or scroll to move, Ctrl and scroll to zoom, / to search; click a node or an operator for more.", "m");
  $("node").prepend(hint);
})();
