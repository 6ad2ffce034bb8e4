'use strict';
(() => {
const all = (s, in_ = document) => [...in_.querySelectorAll(s)];
const make = (tag, text, cls) => {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  if (cls) { e.className = cls; if (tag === 'button') e.type = 'button'; }
  return e;
};
const words = s => s.toLowerCase().replace(/×/g, 'x').split(/\s+/).filter(Boolean);

// What a row opens to is text until then: browsers do not parse noscript elements.
const open = (row, on) => {
  const detail = row.nextElementSibling, td = detail.cells[0], hidden = td.querySelector('noscript');
  if (on && hidden) {
    const box = new DOMParser().parseFromString(hidden.textContent, 'text/html').querySelector('details');
    box.firstElementChild.remove();
    hidden.replaceWith(...box.childNodes);
    all('table.t', td).forEach(table);
  }
  detail.hidden = !on;
  row.querySelector('.x').setAttribute('aria-expanded', String(on));
  row.querySelector('.x').textContent = on ? '▾' : '▸';
};

function table(t) {
  const bodies = [...t.tBodies], heads = [...t.tHead.rows[0].cells];
  const place = new Map(bodies.map((b, i) => [b, i]));
  for (const b of bodies) {
    const row = b.rows[0];
    if (b.rows.length < 2) continue;
    row.classList.add('opens');
    const x = make('button', '▸', 'x');
    x.setAttribute('aria-label', 'details');
    row.cells[0].prepend(x);
    open(row, false);
    row.addEventListener('click', e => {
      if (!e.target.closest('a') && !String(getSelection())) open(row, row.nextElementSibling.hidden);
    });
  }
  // Sorting: by data-s, or by the text; numbers as numbers.
  const value = (b, i, number) => {
    const c = b.rows[0].cells[i];
    const s = c ? c.dataset.s || c.textContent.trim() : '';
    if (!number) return s.toLowerCase();
    const n = parseFloat(s.replace(/,/g, ''));
    return isNaN(n) ? -Infinity : n;
  };
  if (bodies.length > 1) heads.forEach((h, i) => {
    const name = h.textContent;
    if (!name) return;
    const button = make('button', name, 'sort');
    h.replaceChildren(button);
    button.addEventListener('click', () => {
      const down = h.getAttribute('aria-sort') === 'ascending', keyed = bodies.map(b => b.rows[0].cells[i]).filter(c => c && c.dataset.s);
      const number = h.classList.contains('n') || keyed.length && keyed.every(c => !isNaN(c.dataset.s));
      heads.forEach(o => o.removeAttribute('aria-sort'));
      h.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const keys = new Map(bodies.map(b => [b, value(b, i, number)]));
      t.append(...[...bodies].sort((a, b) => {
        const x = keys.get(a), y = keys.get(b);
        return (x === y ? 0 : (x > y) !== down ? 1 : -1) || place.get(a) - place.get(b);
      }));
    });
  });
  // Searching and filtering.
  const form = t.parentNode.previousElementSibling;
  if (!form || !form.matches('form.tools')) return;
  const text = new Map(bodies.map(b => [b, b.rows[0].textContent.toLowerCase().replace(/×/g, 'x')]));
  const query = form.querySelector('input'), out = form.querySelector('output');
  const groups = () => [...all('fieldset', form).map(f => all('[aria-pressed=true]', f).map(b => b.dataset.k)), ...all('select', form).map(s => s.value ? [s.value] : [])];
  const filter = () => {
    const asked = words(query.value), keys = groups().filter(g => g.length);
    let shown = 0;
    for (const b of bodies) {
      const on = asked.every(w => text.get(b).includes(w)) && keys.every(g => g.some(k => (b.dataset.k || '').includes('|' + k + '|')));
      b.hidden = !on;
      shown += on;
    }
    out.textContent = (shown < bodies.length ? shown + ' of ' : '') + bodies.length + ' ' + out.dataset.noun;
  };
  form.hidden = false;
  form.addEventListener('submit', e => e.preventDefault());
  form.addEventListener('input', filter);
  form.addEventListener('click', e => {
    const b = e.target.closest('button');
    if (!b) return;
    if (b.dataset.k) b.setAttribute('aria-pressed', String(b.getAttribute('aria-pressed') !== 'true'));
    else for (const body of bodies) if (body.rows[1] && (!body.hidden || b.className === 'none')) open(body.rows[0], b.className === 'all');
    filter();
  });
}

// Steps: one at a time.
function steps(box) {
  const list = all('article', box), nav = box.querySelector('nav'), at = nav.querySelector('input');
  let now = 0;
  const go = n => {
    list[now].classList.remove('now');
    list[now].querySelector('.copy').replaceChildren();
    now = Math.max(0, Math.min(list.length - 1, n));
    const s = list[now], from = s.dataset.ref && document.getElementById(s.dataset.ref);
    s.classList.add('now');
    if (from) s.querySelector('.copy').append(...from.querySelector('.body').cloneNode(true).childNodes);
    at.value = now + 1;
    nav.querySelector('output').textContent = (now + 1) + ' of ' + list.length;
  };
  nav.hidden = false;
  box.classList.add('walking');
  nav.querySelector('.back').onclick = () => go(now - 1);
  nav.querySelector('.next').onclick = () => go(now + 1);
  at.oninput = () => go(at.value - 1);
  document.addEventListener('keydown', e => {
    if (e.target.closest('input,select') || e.ctrlKey || e.altKey || e.metaKey) return;
    if (e.key === 'ArrowLeft') go(now - 1);
    if (e.key === 'ArrowRight') go(now + 1);
  });
  go(0);
}

// A graph to move, zoom and search in.
function explorer(box) {
  const view = box.querySelector('.view'), svg = view.querySelector('svg'), aside = box.querySelector('aside'), form = box.querySelector('form');
  const query = form.querySelector('input'), out = form.querySelector('output');
  const nodes = JSON.parse(document.getElementById('data').textContent), byId = new Map(nodes.map(n => [n.id, n])), boxes = new Map(), users = new Map();
  for (const g of all('g[data-id]', svg)) {
    const r = g.querySelector('rect'), n = k => +r.getAttribute(k);
    boxes.set(g.dataset.id, {g, x: n('x') + n('width') / 2, y: n('y') + n('height') / 2});
  }
  for (const n of nodes)
    for (const v of n.in || [])
      if (v.id) users.set(v.id, (users.get(v.id) || new Set()).add(n.id));

  // A point of the drawing at the upper left corner, and a scale; one drawing a frame.
  const W = +svg.getAttribute('width'), H = +svg.getAttribute('height');
  let x = 0, y = 0, scale = 1, asked = false;
  svg.removeAttribute('width');
  svg.removeAttribute('height');
  view.classList.add('on');
  form.hidden = box.querySelector('.zoom').hidden = false;
  const within = (p, size, room) => Math.max(-0.7 * room, Math.min(p, size - 0.3 * room)); // part of it stays in sight
  const show = () => {
    if (!asked) requestAnimationFrame(() => {
      asked = false;
      const w = view.clientWidth / scale, h = view.clientHeight / scale;
      x = within(x, W, w);
      y = within(y, H, h);
      svg.setAttribute('viewBox', `${x} ${y} ${w} ${h}`);
    });
    asked = true;
  };
  const fit = () => {
    scale = Math.min(2, view.clientWidth / W, view.clientHeight / H);
    x = (W - view.clientWidth / scale) / 2;
    y = (H - view.clientHeight / scale) / 2;
    show();
  };
  const start = () => { // the top, as wide as it is readable
    scale = Math.max(0.6, Math.min(1, view.clientWidth / W));
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
  view.addEventListener('wheel', e => {
    const unit = e.deltaMode ? 30 : 1, r = view.getBoundingClientRect();
    if (!e.ctrlKey && !e.metaKey && document.activeElement !== view) return; // the page scrolls
    e.preventDefault();
    if (e.ctrlKey || e.metaKey) zoom(Math.exp(-e.deltaY * unit / 300), e.clientX - r.left, e.clientY - r.top);
    else if (e.shiftKey && !e.deltaX) move(e.deltaY * unit, 0);
    else move(e.deltaX * unit, e.deltaY * unit);
  }, {passive: false});
  const down = new Map(); // pointers
  let moved = 0;
  view.addEventListener('pointerdown', e => {
    if (e.button || e.target.closest('button')) return;
    if (!down.size) moved = 0;
    down.set(e.pointerId, [e.clientX, e.clientY]);
  });
  view.addEventListener('pointermove', e => {
    const p = down.get(e.pointerId);
    if (!p) return;
    const dx = e.clientX - p[0], dy = e.clientY - p[1];
    moved += Math.abs(dx) + Math.abs(dy);
    if (moved < 4) return;
    if (!view.hasPointerCapture(e.pointerId)) view.setPointerCapture(e.pointerId);
    view.classList.add('drag');
    if (down.size === 2) { // two fingers: their distance is the scale
      const q = [...down].find(([id]) => id !== e.pointerId)[1], r = view.getBoundingClientRect();
      const was = Math.hypot(p[0] - q[0], p[1] - q[1]), is = Math.hypot(e.clientX - q[0], e.clientY - q[1]);
      if (was && is) zoom(is / was, (e.clientX + q[0]) / 2 - r.left, (e.clientY + q[1]) / 2 - r.top);
    }
    move(-dx / down.size, -dy / down.size);
    down.set(e.pointerId, [e.clientX, e.clientY]);
  });
  const up = e => { down.delete(e.pointerId); if (!down.size) view.classList.remove('drag'); };
  view.addEventListener('pointerup', up);
  view.addEventListener('pointercancel', up);
  view.addEventListener('click', e => {
    const g = moved < 4 && e.target.closest('g[data-id],g[data-ref]');
    if (g) select(g.dataset.id || g.dataset.ref, !!g.dataset.ref);
  });
  view.querySelector('.in').onclick = () => zoom(1.4);
  view.querySelector('.out').onclick = () => zoom(1 / 1.4);
  view.querySelector('.fit').onclick = fit;
  new ResizeObserver(show).observe(view);

  // The selected node. Text is set as text, never as markup.
  const link = (id, text) => {
    const a = make('a', text);
    a.href = '#' + id;
    a.onclick = e => { e.preventDefault(); select(id, true); };
    return a;
  };
  let selected = [];
  const select = (id, go) => {
    const n = byId.get(id), b = boxes.get(id);
    if (!n || !b) return;
    const near = [...(users.get(id) || []), ...(n.in || []).map(v => v.id).filter(Boolean)];
    for (const s of selected) boxes.get(s).g.classList.remove('sel', 'near');
    for (const s of near) boxes.get(s).g.classList.add('near');
    selected = [id, ...near];
    b.g.classList.remove('near');
    b.g.classList.add('sel');
    const dl = make('dl'), row = (name, ...what) => {
      const dd = make('dd');
      dd.append(...what);
      dl.append(make('dt', name), dd);
    };
    if (n.opaque) row('kept as is', n.opaque);
    if (n.attrs) row('attributes', n.attrs.split(/, (?=[a-z_]+=)/).join('\n'));
    for (const v of n.in || []) row(v.fixed ? 'weight' : 'operand', v.id ? link(v.id, v.name) : v.name, '\n' + v.type);
    for (const v of n.out) row(n.output ? 'result, output' : 'result', v.name + '\n' + v.type);
    const parts = [];
    for (const u of users.get(id) || []) parts.push(parts.length ? '\n' : '', link(u, byId.get(u).name), ' ' + byId.get(u).op);
    if (parts.length) row('used by', ...parts);
    for (const [k, name] of [['params', 'parameters'], ['flops', 'FLOPs'], ['bytes', 'bytes moved'], ['time', 'time'], ['layout', 'sharding'], ['sends', 'communication']]) if (n[k] && n[k] !== '0') row(name, n[k]);
    const h = make('h4', n.name + ' ');
    h.append(make('span', n.op, 'm'));
    aside.replaceChildren(h, dl);
    history.replaceState(null, '', '#' + id);
    if (!go) return;
    if (scale < 0.5) scale = 0.9;
    x = b.x - view.clientWidth / scale / 2;
    y = b.y - view.clientHeight / scale / 2;
    show();
  };

  // The search: words that must all occur.
  const text = new Map(nodes.map(n => [n.id, [n.name, n.op, n.attrs || '', ...n.out.map(v => v.type),
    ...(n.in || []).filter(v => v.fixed).map(v => v.name + ' ' + v.type)].join(' ').toLowerCase().replace(/×/g, 'x')]));
  let hits = [], at = -1, op = '';
  const search = () => {
    const asked = words(query.value), any = asked.length || op;
    hits = any ? nodes.filter(n => (!op || n.op === op) && asked.every(w => text.get(n.id).includes(w))).map(n => n.id) : [];
    at = -1;
    svg.classList.toggle('found', !!any);
    for (const [id, b] of boxes) b.g.classList.toggle('hit', hits.includes(id));
    for (const b of all('.explores tbody')) b.classList.toggle('now', !!op && opOf(b) === op);
    out.textContent = !asked.length && op && !hits.length ? 'not drawn' : any ? `${hits.length} found` : '';
  };
  const step = by => {
    if (!hits.length) return;
    at = at < 0 && by < 0 ? hits.length - 1 : (at + by + hits.length) % hits.length;
    out.textContent = `${at + 1} of ${hits.length}`;
    select(hits[at], true);
  };
  const opOf = body => body.rows[0].cells[0].textContent;
  form.addEventListener('submit', e => e.preventDefault());
  query.addEventListener('input', search);
  query.addEventListener('keydown', e => {
    if (e.key === 'Enter') { e.preventDefault(); step(e.shiftKey ? -1 : 1); }
    if (e.key === 'Escape') { query.value = op = ''; search(); view.focus(); }
  });
  form.querySelector('.next').onclick = () => step(1);
  form.querySelector('.prev').onclick = () => step(-1);
  for (const b of all('.explores tbody')) b.addEventListener('click', () => {
    op = op === opOf(b) ? '' : opOf(b);
    search();
    step(1);
    view.scrollIntoView({block: 'nearest'});
  });
  view.addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target !== view) return;
    const key = {'+': () => zoom(1.4), '=': () => zoom(1.4), '-': () => zoom(1 / 1.4), '0': fit, '1': start, n: () => step(1), p: () => step(-1),
      ArrowUp: () => move(0, -60), ArrowDown: () => move(0, 60), ArrowLeft: () => move(-60, 0), ArrowRight: () => move(60, 0)}[e.key];
    if (!key) return;
    e.preventDefault();
    key();
  });
  start();
  aside.prepend(make('p', 'Drag to move, Ctrl and scroll to zoom, / to search. Select a node or an operator for details.', 'm'));
  if (boxes.has(location.hash.slice(1))) select(location.hash.slice(1), true);
}

// A link opens what it leads to.
const follow = () => {
  const e = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!e) return;
  for (let d = e; d; d = d.parentElement) if (d.tagName === 'DETAILS') d.open = true;
  if (e.tagName === 'TBODY') {
    e.hidden = false;
    if (e.rows[1]) open(e.rows[0], true);
  }
  e.scrollIntoView();
};
all('table.t').forEach(table);
all('.steps').forEach(steps);
all('.explorer').forEach(explorer);
document.addEventListener('keydown', e => {
  const first = document.querySelector('input[type=search]');
  if (e.key !== '/' || !first || e.target.closest('input,select')) return;
  e.preventDefault();
  first.focus();
});
document.addEventListener('click', e => {
  const a = e.target.closest('a');
  if (a && a.hash && a.hash === location.hash) follow();
});
addEventListener('hashchange', follow);
follow();
})();
