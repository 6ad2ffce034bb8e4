'use strict';
(() => {
  // A rule's details lie in a template, which costs nothing until it is opened.
  function open(body, on) {
    const row = body.querySelector('tr.d'), button = body.querySelector('button.x');
    const template = row.querySelector('template');
    if (on && template) {
      template.replaceWith(template.content);
    }
    row.hidden = !on;
    button.setAttribute('aria-expanded', String(on));
  }
  function follow() {
    const id = decodeURIComponent(location.hash.slice(1));
    const body = id && document.getElementById(id);
    if (body && body.tagName === 'TBODY') {
      body.hidden = false;
      open(body, true);
      body.scrollIntoView();
      body.querySelector('button.x').focus({preventScroll: true});
    }
  }
  for (const file of document.querySelectorAll('section.file')) {
    const table = file.querySelector('table.rules'), bodies = [...table.tBodies];
    const text = new Map(bodies.map(b => [b, b.rows[0].textContent.toLowerCase()]));
    const pressed = () => [...file.querySelectorAll('.f[aria-pressed=true]')].map(f => f.dataset.v);
    const op = file.querySelector('.op'), kind = file.querySelector('.kind'), query = file.querySelector('.q');
    const count = file.querySelector('.count');
    function filter() {
      const verdicts = pressed(), words = query.value.toLowerCase().split(/\s+/).filter(w => w);
      let shown = 0;
      for (const b of bodies) {
        const d = b.dataset;
        const on = (!verdicts.length || verdicts.some(v => d.u.split(' ').includes(v))) &&
          (!op.value || d.o.split('|').includes(op.value)) &&
          (!kind.value || d.k.split(' ').includes(kind.value)) &&
          words.every(w => text.get(b).includes(w));
        b.hidden = !on;
        if (on) { shown++; }
      }
      count.textContent = shown === bodies.length ? shown + ' rules' : shown + ' of ' + bodies.length + ' rules';
    }
    function sort(th, key) {
      const down = th.getAttribute('aria-sort') === 'ascending';
      for (const o of th.parentNode.children) { o.removeAttribute('aria-sort'); }
      th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const value = b => key === 't' ? text.get(b).replace(/^\s*\d+\s*/, '') : Number(b.dataset[key]);
      const by = (a, b) => {
        const x = value(a), y = value(b);
        return (x === y ? 0 : (x > y) !== down ? 1 : -1) || a.dataset.i - b.dataset.i;
      };
      table.append(...[...bodies].sort(by));
    }
    for (const f of file.querySelectorAll('.f')) {
      f.addEventListener('click', () => {
        f.setAttribute('aria-pressed', String(f.getAttribute('aria-pressed') !== 'true'));
        filter();
      });
    }
    op.addEventListener('change', filter);
    kind.addEventListener('change', filter);
    query.addEventListener('input', filter);
    file.querySelector('form').addEventListener('submit', e => e.preventDefault());
    file.querySelector('.all').addEventListener('click', () => bodies.forEach(b => b.hidden || open(b, true)));
    file.querySelector('.none').addEventListener('click', () => bodies.forEach(b => open(b, false)));
    for (const b of table.querySelectorAll('thead button')) {
      b.addEventListener('click', () => sort(b.parentNode, b.dataset.k));
    }
    table.addEventListener('click', e => {
      const row = e.target.closest('tr.s');
      if (row && !e.target.closest('a') && !String(getSelection())) {
        open(row.parentNode, row.querySelector('.x').getAttribute('aria-expanded') !== 'true');
      }
    });
    filter();
  }
  document.addEventListener('keydown', e => {
    if (e.key === '/' && !e.target.closest('input,select')) {
      e.preventDefault();
      document.querySelector('.q').focus();
    }
  });
  addEventListener('hashchange', follow);
  follow();
})();
