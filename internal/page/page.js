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
  const nodes = JSON.parse(document.getElementById('data').textContent), byId = new Map(nodes.map(n => [n.id, n])), boxes = new Map(), near = new Map(nodes.map(n => [n.id, new Set()]));
  for (const g of all('g[data-id]', svg)) boxes.set(g.dataset.id, g);
  for (const n of nodes)
    for (const f of n.facts || [])
      if (f.from) { near.get(n.id).add(f.from); near.get(f.from).add(n.id); }

  // The frame scrolls; the drawing has a scale.
  const W = +svg.getAttribute('width'), H = +svg.getAttribute('height');
  let scale = 1;
  const zoom = to => {
    const x = (view.scrollLeft + view.clientWidth / 2) / scale, y = (view.scrollTop + view.clientHeight / 2) / scale;
    scale = Math.max(0.02, Math.min(4, to));
    svg.setAttribute('width', W * scale);
    svg.setAttribute('height', H * scale);
    view.scrollTo(x * scale - view.clientWidth / 2, y * scale - view.clientHeight / 2);
  };
  const fit = () => zoom(Math.min(2, view.clientWidth / W, view.clientHeight / H));
  const centre = g => {
    if (scale < 0.5) zoom(0.9);
    const r = g.querySelector('rect'), at = k => +r.getAttribute(k) * scale;
    view.scrollTo(at('x') + at('width') / 2 - view.clientWidth / 2, at('y') + at('height') / 2 - view.clientHeight / 2);
  };
  view.addEventListener('wheel', e => {
    if (!e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    zoom(scale * Math.exp(-e.deltaY / 300));
  }, {passive: false});
  let moved = 0;
  view.addEventListener('pointerdown', () => { moved = 0; });
  view.addEventListener('pointermove', e => {
    if (!(e.buttons & 1) || e.pointerType !== 'mouse') return view.classList.remove('drag');
    moved += Math.abs(e.movementX) + Math.abs(e.movementY);
    view.classList.add('drag');
    view.scrollBy(-e.movementX, -e.movementY);
  });
  view.addEventListener('click', e => {
    const g = moved < 4 && e.target.closest('g[data-id],g[data-ref]');
    if (g) select(g.dataset.id || g.dataset.ref, !!g.dataset.ref);
  });

  // The selected node. Text is set as text, never as markup.
  const select = (id, go) => {
    const n = byId.get(id), g = boxes.get(id);
    if (!n || !g) return;
    for (const [other, o] of boxes) {
      o.classList.toggle('near', near.get(id).has(other));
      o.classList.toggle('sel', other === id);
    }
    const dl = make('dl'), row = (name, from, value) => {
      const dd = make('dd', from ? undefined : value);
      if (from) {
        const a = make('a', value);
        a.href = '#' + from;
        a.onclick = e => { e.preventDefault(); select(from, true); };
        dd.append(a);
      }
      dl.append(make('dt', name), dd);
    };
    for (const f of n.facts || []) row(f.name, f.from, f.value);
    for (const m of nodes) if ((m.facts || []).some(f => f.from === id)) row('used by', m.id, m.name + ' ' + m.op);
    const h = make('h4', n.name + ' ');
    h.append(make('span', n.op, 'm'));
    aside.replaceChildren(h, dl);
    history.replaceState(null, '', '#' + id);
    if (go) centre(g);
  };

  // The search: words that must all occur.
  const text = new Map(nodes.map(n => [n.id, [n.name, n.op, ...(n.facts || []).map(f => f.value)].join(' ').toLowerCase().replace(/×/g, 'x')]));
  const opOf = body => body.rows[0].cells[0].textContent;
  let hits = [], at = -1, op = '';
  const search = () => {
    const asked = words(query.value), any = asked.length || op;
    hits = any ? nodes.filter(n => (!op || n.op === op) && asked.every(w => text.get(n.id).includes(w))).map(n => n.id) : [];
    at = -1;
    svg.classList.toggle('found', !!any);
    const hit = new Set(hits);
    for (const [id, g] of boxes) g.classList.toggle('hit', hit.has(id));
    for (const b of all('.explores tbody')) b.classList.toggle('now', !!op && opOf(b) === op);
    out.textContent = any ? `${hits.length} found` : '';
  };
  const step = by => {
    if (!hits.length) return;
    at = at < 0 && by < 0 ? hits.length - 1 : (at + by + hits.length) % hits.length;
    out.textContent = `${at + 1} of ${hits.length}`;
    select(hits[at], true);
  };
  form.hidden = false;
  form.addEventListener('submit', e => { e.preventDefault(); step(1); });
  query.addEventListener('input', search);
  const buttons = {prev: () => step(-1), in: () => zoom(scale * 1.4), out: () => zoom(scale / 1.4), fit};
  for (const b of all('button[type=button]', form)) b.onclick = buttons[b.className];
  for (const b of all('.explores tbody')) b.addEventListener('click', () => {
    op = op === opOf(b) ? '' : opOf(b);
    query.value = '';
    search();
    step(1);
    box.scrollIntoView({block: 'nearest'});
  });
  aside.prepend(make('p', 'Drag or scroll to move, Ctrl and scroll to zoom, / to search. Select a node or an operator for details.', 'm'));
  zoom(Math.max(0.6, Math.min(1, view.clientWidth / W))); // as wide as it is readable
  const first = boxes.get(nodes[0] && nodes[0].id);
  if (first) centre(first);
  select(location.hash.slice(1), true);
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
