import { el } from './dom.js'

/** What somebody wrote into a field does not fit. */
export class InputError extends Error {}

/**
 * A field with its name, its type, and a sentence where what stands in it does not fit.
 * @template T
 * @typedef {object} CheckedField
 * @property {HTMLElement} element
 * @property {() => T} peek throws what does not fit
 * @property {() => T} read as `peek`, and shows what does not fit; throws InputError
 */

/**
 * @template T
 * @param {object} options
 * @param {string} options.label
 * @param {string} options.type in words
 * @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} options.field has an id
 * @param {(text: string) => T} options.parse throws an error with a sentence for the one who wrote it
 * @returns {CheckedField<T>}
 */
export function checkedField({ label, type, field, parse }) {
  const { id } = field
  const problem = el('p', { class: 'problem', id: `${id}-problem`, role: 'alert' })
  field.setAttribute('aria-describedby', `${id}-type ${id}-problem`)
  const peek = () => parse(field.value)
  const read = () => {
    problem.textContent = ''
    field.removeAttribute('aria-invalid')
    try {
      return peek()
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error)
      field.setAttribute('aria-invalid', 'true')
      field.focus()
      throw new InputError(problem.textContent)
    }
  }
  const name = el('label', { for: id }, label)
  const about = el('span', { class: 'quiet', id: `${id}-type` }, type)
  return {
    element: el('div', { class: 'field' }, el('p', { class: 'line' }, name, about), field, problem),
    peek,
    read,
  }
}

/**
 * What a function gives; null when somebody wrote what does not fit.
 * @template T
 * @param {() => T} read
 * @returns {T | null}
 */
export function orNull(read) {
  try {
    return read()
  } catch (error) {
    if (error instanceof InputError) return null
    throw error
  }
}
