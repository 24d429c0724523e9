// Runs before the first paint, so that a chosen theme does not flash; `ui/theme.js` has the switch.
try {
  const chosen = localStorage.getItem('theme')
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset['theme'] = chosen
} catch {
  // Storage may be closed to pages: the system's theme stays.
}
