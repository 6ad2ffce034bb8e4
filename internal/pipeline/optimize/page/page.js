"use strict";
(() => {
  const steps = [...document.querySelectorAll(".step")];
  if (!steps.length) return;
  const walk = document.getElementById("walk"), at = document.getElementById("at");
  const where = document.getElementById("where");
  walk.hidden = false;
  document.body.classList.add("walking");
  let cur = 0;
  function go(n) {
    steps[cur].classList.remove("cur");
    steps[cur].querySelector(".slot").replaceChildren();
    cur = Math.max(0, Math.min(steps.length - 1, n));
    const s = steps[cur];
    s.classList.add("cur");
    const law = document.getElementById(s.dataset.law);
    s.querySelector(".slot").append(law.querySelector(".body").cloneNode(true));
    at.value = cur + 1;
    where.textContent = (cur + 1) + " of " + steps.length;
  }
  document.getElementById("back").onclick = () => go(cur - 1);
  document.getElementById("next").onclick = () => go(cur + 1);
  at.oninput = () => go(at.value - 1);
  document.addEventListener("keydown", (e) => {
    if (e.target === at || e.ctrlKey || e.altKey || e.metaKey) return;
    if (e.key === "ArrowLeft") go(cur - 1);
    if (e.key === "ArrowRight") go(cur + 1);
  });
  document.addEventListener("click", (e) => {
    const a = e.target.closest && e.target.closest('a[href^="#law"]');
    if (a) document.getElementById(a.getAttribute("href").slice(1)).open = true;
  });
  go(0);
})();
