import { programVersion } from '../util/programVersion.ts'
import { ConfigError } from './errors.ts'
import type { OptionDefinition, OptionTable, RenamedFrom } from './option.ts'
import { GONE_OPTIONS, OPTIONS } from './schema.ts'
import { suggestOption } from './suggestOption.ts'

/** The options that the sources of a configuration parse. */
export interface OptionSchema {
  readonly options: OptionTable
  /** Version of the program, which determines whether an earlier name is accepted. */
  readonly version: string
  /** Called for every option that was given under an earlier name. */
  readonly onWarning: (text: string) => void
}

/** The options of the node. */
export function nodeSchema(onWarning: (text: string) => void = () => undefined): OptionSchema {
  return { options: OPTIONS, version: programVersion(), onWarning }
}

/** An option with its earlier name. */
export interface RenamedOption {
  readonly key: string
  readonly definition: OptionDefinition
  readonly renamedFrom: RenamedFrom
}

/** The renamed options of a table. */
export function renamedOptions(options: OptionTable): RenamedOption[] {
  return Object.entries(options).flatMap(([key, definition]) => {
    const { renamedFrom } = definition
    return renamedFrom === undefined ? [] : [{ key, definition, renamedFrom }]
  })
}

/** Options by the names under which one source has them, earlier names included. */
export class OptionNames {
  readonly #schema: OptionSchema
  readonly #form: (key: string) => string
  readonly #keys: ReadonlyMap<string, string>
  readonly #renamed: ReadonlyMap<string, RenamedOption>
  /** The replacements of options that are gone, by the names that they had in the source. */
  readonly #gone: ReadonlyMap<string, string>
  /** Names used in the source, by key. */
  readonly #given = new Map<string, string>()

  /**
   * @param form the name of a key in the source: a flag, an environment name, or the key itself
   * @param keys keys that the source may contain
   */
  constructor(schema: OptionSchema, form: (key: string) => string, keys = Object.keys(schema.options)) {
    this.#schema = schema
    this.#form = form
    this.#keys = new Map(keys.map((key) => [form(key), key]))
    this.#gone = new Map(Object.entries(GONE_OPTIONS).map(([key, advice]) => [form(key), advice]))
    const renamed = renamedOptions(schema.options).filter(({ key }) => keys.includes(key))
    this.#renamed = new Map(renamed.map((option) => [form(option.renamedFrom.name), option]))
  }

  /** The current name of the option that was probably meant by a name that is none; undefined when nothing is close. */
  suggest(given: string): string | undefined {
    const meant = suggestOption(given, [...this.#keys.values()])
    return meant === undefined ? undefined : this.#form(meant)
  }

  /**
   * The key of an option that the source gives under a name; undefined when there is none.
   * @throws ConfigError `UnknownOption` for a name or an option that is no longer accepted, `Conflict` when the option
   *   was given under its other name already
   */
  take(name: string): string | undefined {
    const key = this.#keys.get(name) ?? this.#earlier(name)
    if (key === undefined) {
      const advice = this.#gone.get(name)
      if (advice !== undefined)
        throw new ConfigError('UnknownOption', `${name} is no option any more: ${advice}`)
      return undefined
    }
    this.#checkRetired(name, this.#schema.options[key]?.retired)
    const other = this.#given.get(key)
    if (other !== undefined && other !== name) {
      throw new ConfigError(
        'Conflict',
        `${other} and ${name} are the same option: give ${this.#form(key)} alone`,
      )
    }
    this.#given.set(key, name)
    return key
  }

  #checkRetired(name: string, until: string | undefined): void {
    if (until === undefined) return
    if (!isUpTo(this.#schema.version, until)) {
      throw new ConfigError(
        'UnknownOption',
        `${name} is no option any more; it has no effect and is to be removed`,
      )
    }
    this.#schema.onWarning(`${name} has no effect any more; it is taken until version ${until}`)
  }

  #earlier(name: string): string | undefined {
    const option = this.#renamed.get(name)
    if (option === undefined) return undefined
    const { key, renamedFrom } = option
    const present = this.#form(key)
    if (!isUpTo(this.#schema.version, renamedFrom.until)) {
      throw new ConfigError('UnknownOption', `${name} is no option any more; it is called ${present} now`)
    }
    this.#schema.onWarning(
      `${name} is called ${present} now; the old name is taken until version ${renamedFrom.until}`,
    )
    return key
  }
}

/** True when a version belongs to a minor version or to an earlier one. */
function isUpTo(version: string, minor: string): boolean {
  const [major = 0, minorPart = 0] = version.split('.').map(Number)
  const [lastMajor = 0, lastMinor = 0] = minor.split('.').map(Number)
  return major < lastMajor || (major === lastMajor && minorPart <= lastMinor)
}
