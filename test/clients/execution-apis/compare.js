import Ajv from 'ajv'

/** Schemas of the specification use words of OpenRPC that are none of JSON Schema. */
const ajv = new Ajv({ allErrors: true, verbose: true, strict: false, validateFormats: false, logger: false })

/** A document with every reference replaced by what it names. */
export function withoutReferences(document) {
  const follow = (value) => {
    if (Array.isArray(value)) return value.map(follow)
    if (value === null || typeof value !== 'object') return value
    if (typeof value.$ref === 'string') {
      return follow(
        value.$ref
          .slice(2)
          .split('/')
          .reduce((found, name) => found[name], document),
      )
    }
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, follow(inner)]))
  }
  return document.methods.map(follow)
}

/** Where a value differs from a schema, one line each; of alternatives the one that it comes closest to. */
export function differences(schema, value) {
  const validate = ajv.compile(schema)
  if (validate(value)) return []
  return [...new Set(closest(validate.errors).map(line))]
}

function closest(errors) {
  const choices = errors.filter(({ keyword }) => keyword === 'oneOf' || keyword === 'anyOf')
  const [outer] = choices.sort((one, other) => one.schemaPath.length - other.schemaPath.length)
  if (outer === undefined) return errors
  const within = (error) =>
    error.schemaPath.startsWith(`${outer.schemaPath}/`) &&
    `${error.instancePath}/`.startsWith(`${outer.instancePath}/`)
  const beside = closest(errors.filter((error) => error !== outer && !within(error)))
  const branches = {}
  for (const error of errors.filter(within)) {
    const branch = error.schemaPath.slice(outer.schemaPath.length + 1).split('/')[0]
    branches[branch] = [...(branches[branch] ?? []), error]
  }
  const best = Object.values(branches)
    .map(closest)
    .sort((one, other) => otherKind(one) - otherKind(other) || one.length - other.length)[0]
  return [...beside, ...(best ?? [outer])]
}

/** An alternative that takes no objects or lists, such as null, is never the one that was meant. */
function otherKind(errors) {
  return errors.filter(({ keyword, data }) => keyword === 'type' && data !== null && typeof data === 'object')
    .length
}

function line({ instancePath, keyword, params, message }) {
  const place =
    instancePath.replace(/(?<=\/)\d+(?=\/|$)/g, '*').replace(/(?<=\/)(0x)?[0-9a-fA-F]{40}(?=\/|$)/g, '*') ||
    '/'
  if (keyword === 'required') return `${place} lacks ${params.missingProperty}`
  if (keyword === 'additionalProperties') return `${place} has ${params.additionalProperty}`
  return `${place} ${message}`
}
