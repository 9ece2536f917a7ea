// The search field of the orders is one key away.

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input, select, textarea"))
  );
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event.target)) return;
  const search = document.querySelector<HTMLInputElement>('[data-hotkey="/"]');
  if (!search) return;
  event.preventDefault();
  search.focus();
  search.select();
});

// A chosen filter counts at once.
document.addEventListener("change", (event) => {
  const choice = (event.target as Element).closest<HTMLSelectElement>("[data-send]");
  choice?.form?.requestSubmit();
});
