import { el } from './dom.js'

const STEPS = /** @type {const} */ ([
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
])

/**
 * How long ago a moment was, kept up to date by {@link startClock}.
 * @param {number} timestamp seconds since 1970
 */
export function age(timestamp) {
  const time = el('time', { datetime: isoOf(timestamp), title: dateText(timestamp), 'data-age': timestamp })
  time.textContent = ageText(timestamp)
  return time
}

/** A moment as date and time. @param {number} timestamp seconds since 1970 */
export function dateText(timestamp) {
  return `${isoOf(timestamp).slice(0, 19).replace('T', ' ')} UTC`
}

/** A span of time in its two largest units. @param {number} seconds */
export function spanText(seconds) {
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24]
  const minutes = Math.floor(seconds / 60) % 60
  if (days > 0) return `${days} d ${hours} h`
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${Math.floor(seconds) % 60} s` : `${Math.floor(seconds)} s`
}

/** Brings all ages that are shown up to date, each second. */
export function startClock() {
  setInterval(() => {
    for (const time of document.querySelectorAll('time[data-age]')) {
      const text = ageText(Number(time.getAttribute('data-age')))
      if (time.textContent !== text) time.textContent = text
    }
  }, 1000)
}

/** @param {number} timestamp */
function ageText(timestamp) {
  const seconds = Math.round(Date.now() / 1000) - timestamp
  if (seconds < 0) return `in ${-seconds} s`
  for (const [size, unit] of STEPS) {
    if (seconds >= size) return `${Math.floor(seconds / size)} ${unit} ago`
  }
  return `${seconds} s ago`
}

/** @param {number} timestamp */
function isoOf(timestamp) {
  const date = new Date(timestamp * 1000)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}
