import { announce } from './announce.js'
import { el } from './dom.js'

const SHOWN_MS = 1500

/**
 * A button that copies a text.
 * @param {string | (() => string)} text
 * @param {string} what for people who do not see the sign, e.g. `block hash`
 * @param {string} [label] text of the button; a sign unless given
 */
export function copyButton(text, what, label) {
  const name = `Copy ${what}`
  const button = el(
    'button',
    {
      type: 'button',
      class: label === undefined ? 'copy' : 'copy worded',
      title: name,
      'aria-label': label === undefined ? name : null,
      on: { click: () => void copy() },
    },
    label ?? null,
  )
  const copy = async () => {
    const isDone = await write(typeof text === 'string' ? text : text())
    announce(isDone ? `${what} copied` : 'the browser did not let the page copy')
    button.dataset['state'] = isDone ? 'done' : 'failed'
    setTimeout(() => delete button.dataset['state'], SHOWN_MS)
  }
  return button
}

/** @param {string} text */
async function write(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Pages that came over plain HTTP from another machine have no clipboard; a selection can still be copied.
    return copySelected(text)
  }
}

/** @param {string} text */
function copySelected(text) {
  const area = el('textarea', { class: 'unseen', 'aria-hidden': 'true' })
  area.value = text
  const focused = document.activeElement
  document.body.append(area)
  area.select()
  const isDone = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isDone
}
