/** @import { Attributes, Child } from '../types.js' */

/**
 * An element. Strings among the children become text; nothing is ever read as markup.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes} [attributes] null, undefined and false leave one out, true sets it without a value
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  const { on = {}, ...plain } = attributes
  for (const [name, value] of Object.entries(plain)) {
    if (value === null || value === undefined || value === false) continue
    element.setAttribute(name, value === true ? '' : String(value))
  }
  for (const [type, listener] of Object.entries(on)) element.addEventListener(type, listener)
  element.append(...flatten(children))
  return element
}

/** An empty element for what follows, and what was in it before gone. @param {Element} place @param {Child} child */
export function fill(place, child) {
  place.replaceChildren(...flatten([child]))
}

/**
 * @param {readonly Child[]} children
 * @returns {(Node | string)[]}
 */
function flatten(children) {
  return children.flatMap((child) => {
    if (child === null) return []
    return child instanceof Node || typeof child === 'string' ? [child] : flatten(child)
  })
}
