/** @import { MethodParam, Schema } from '../types.js' */
import { checkedField, InputError } from './checkedField.js'
import { el } from './dom.js'

/**
 * A field that fits the schema of a parameter; its value is undefined where the parameter is left out.
 * @param {MethodParam} param
 * @param {number} index
 * @returns {import('./checkedField.js').CheckedField<unknown>}
 */
export function paramInput({ name, required, schema }, index) {
  const id = `param-${index}`
  return checkedField({
    label: name,
    type: `${typeText(schema)}${required ? '' : ', optional'}`,
    field: fieldFor(schema, id, required),
    parse: (text) => valueIn(text.trim(), schema, required),
  })
}

/**
 * The type of a schema in words.
 * @param {Schema} schema
 * @returns {string}
 */
export function typeText({ type, title, enum: values, oneOf, items, properties, pattern, minimum, maximum }) {
  if (values !== undefined) return values.join(' | ')
  if (oneOf !== undefined) return oneOf.map(typeText).join(' | ')
  if (title !== undefined) return title
  if (properties !== undefined) return `{ ${Object.keys(properties).join(', ')} }`
  if (items !== undefined) return `list of ${typeText(items)}`
  if (minimum !== undefined && maximum !== undefined) return `${type} from ${minimum} to ${maximum}`
  if (pattern !== undefined) return patternText(pattern)
  return type ?? 'any value'
}

/** @param {string} pattern */
function patternText(pattern) {
  const digits = pattern.match(/^\^0x\[[^\]]+\]\{(\d+)\}\$$/)?.[1]
  if (digits !== undefined) return `0x-hex of ${Number(digits) / 2} bytes`
  return pattern.startsWith('^0x') ? '0x-hex' : `text like ${pattern}`
}

/**
 * @param {Schema} schema
 * @param {string} id
 * @param {boolean} required
 */
function fieldFor(schema, id, required) {
  if (schema.type === 'boolean') {
    const choices = required ? ['false', 'true'] : ['', 'false', 'true']
    return el(
      'select',
      { id },
      ...choices.map((value) => el('option', { value }, value === '' ? 'left out' : value)),
    )
  }
  if (schema.type === 'object' || schema.type === 'array' || Object.keys(schema).length === 0) {
    return el('textarea', {
      id,
      rows: 4,
      spellcheck: 'false',
      autocapitalize: 'off',
      placeholder: templateOf(schema),
    })
  }
  const choices = choicesOf(schema)
  const input = el('input', {
    id,
    type: 'text',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    placeholder: choices.length > 0 ? choices.join(', ') : null,
  })
  if (required && choices.includes('latest')) input.value = 'latest'
  return input
}

/** @param {Schema} schema @returns {readonly string[]} */
function choicesOf({ enum: values, oneOf = [] }) {
  return values ?? oneOf.flatMap(choicesOf)
}

/** @param {Schema} schema */
function templateOf({ type, properties = {} }) {
  if (type === 'array') return '[]'
  const members = Object.keys(properties).map((name) => `"${name}": …`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/**
 * @param {string} text
 * @param {Schema} schema
 * @param {boolean} required
 * @returns {unknown}
 */
function valueIn(text, schema, required) {
  if (text === '') {
    if (required) throw new InputError('A value is needed here.')
    return undefined
  }
  const schemas = schema.oneOf ?? [schema]
  const types = new Set(schemas.map(({ type }) => type))
  if (types.has('boolean')) return text === 'true'
  if (types.has('integer') && /^\d+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
  const isStructure = types.has(undefined) || types.has('object') || types.has('array')
  if (isStructure && (!types.has('string') || text.startsWith('{'))) return parsed(text)
  const isFitting = schemas.some(
    ({ type, pattern, enum: values }) =>
      type === 'string' &&
      (pattern === undefined || new RegExp(pattern, 'u').test(text)) &&
      (values === undefined || values.includes(text)),
  )
  if (!isFitting) throw new InputError(`This does not fit: ${typeText(schema)}.`)
  return text
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    throw new InputError('This is no JSON.')
  }
}
