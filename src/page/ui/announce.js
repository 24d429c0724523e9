import { el } from './dom.js'

/** @type {HTMLElement | null} */
let place = null

/** Tells people who listen instead of looking. @param {string} text */
export function announce(text) {
  if (place === null) {
    place = el('p', { class: 'unseen', role: 'status' })
    document.body.append(place)
  }
  place.textContent = text
}
