const ITEM = 'theme'

/** Makes a button switch between light and dark; the system's choice holds until then. @param {HTMLElement} button */
export function bindThemeSwitch(button) {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const isDark = () => {
    const chosen = document.documentElement.dataset['theme']
    return chosen === undefined ? system.matches : chosen === 'dark'
  }
  const label = () => {
    button.textContent = isDark() ? 'Light' : 'Dark'
    button.setAttribute('aria-label', isDark() ? 'Switch to light colours' : 'Switch to dark colours')
  }
  button.addEventListener('click', () => {
    choose(isDark() ? 'light' : 'dark', system.matches)
    label()
  })
  system.addEventListener('change', label)
  label()
}

/**
 * @param {'light' | 'dark'} theme
 * @param {boolean} isSystemDark
 */
function choose(theme, isSystemDark) {
  const isSystems = (theme === 'dark') === isSystemDark
  if (isSystems) delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  try {
    if (isSystems) localStorage.removeItem(ITEM)
    else localStorage.setItem(ITEM, theme)
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}
