import { createRequire } from 'node:module'

type Yaml = typeof import('yaml')

/** The library is loaded when there is a file to read: loading it takes longer than to read a file. */
function library(): Yaml {
  return createRequire(import.meta.url)('yaml') as Yaml
}

/** Text is no YAML. The message says where and why. */
export class YamlError extends Error {
  override readonly name = 'YamlError'
  readonly code = 'YAML'
}

/**
 * The value of a YAML or JSON document.
 * @throws YamlError for text that is none, or that names a member of a mapping twice
 */
export function parseYaml(text: string): unknown {
  const { parse, YAMLError } = library()
  try {
    return parse(text, { prettyErrors: true, uniqueKeys: true })
  } catch (error) {
    if (error instanceof YAMLError) throw new YamlError(error.message, { cause: error })
    throw error
  }
}

/** A value as YAML. */
export function toYaml(value: unknown): string {
  return library().stringify(value)
}
