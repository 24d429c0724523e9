import type { NetworkName } from './networks/names.ts'

/** Inputs of a default. Network and profile are determined before every other option. */
export type DefaultContext = {
  readonly network: NetworkName
  readonly profile: 'dev' | 'hosted'
  /** True when the node is one of several that are one service. */
  readonly isMember: boolean
  /** Processors of the machine. */
  readonly processors: number
  /** Home directory of the user. @throws ConfigError where the system knows none */
  readonly home: () => string
  /** True when the chain is a fork of a network. */
  readonly isFork: boolean
  /** True when the node makes blocks. */
  readonly isProducing: boolean
}

/** A computed default, with a description of its value for help and the reference table. */
type Default<T> =
  | { readonly default: T }
  | { readonly default: (context: DefaultContext) => T; readonly defaultText: string }

/** An earlier name of an option. */
export type RenamedFrom = {
  /** In camel case, as in a file. */
  readonly name: string
  /** Last minor version that accepts it, e.g. `0.2`. Later ones only report the current name. */
  readonly until: string
}

type Described = {
  /** Its heading in help and the reference table. */
  readonly group: OptionGroup
  /** One sentence, without a full stop; for an integer it names the unit. */
  readonly doc: string
  /** False for an option that is not allowed in a file. */
  readonly inFile?: false
  /** Its earlier name, while that is accepted or still explained. */
  readonly renamedFrom?: RenamedFrom
  /**
   * Last minor version that accepts it, e.g. `0.2`, for an option without effect: help does not show it, and giving it
   * is a warning.
   */
  readonly retired?: string
  /** True when its value is hidden when the configuration is shown. */
  readonly secret?: true
}

/** Headings of help and of the reference table, in this order. */
export const OPTION_GROUPS = [
  'Node',
  'Store',
  'Snapshots',
  'Peers',
  'Fleet',
  'Service',
  'Access',
  'Limits',
  'Operation',
  'Pool',
  'Block production',
  'Development chain',
  'Merged mining',
  'Stable gas price',
] as const

/** Heading of an option; `Command` */
export type OptionGroup = (typeof OPTION_GROUPS)[number] | 'Command'

/** An integer between two bounds, both allowed. */
export type IntegerOption = Described &
  Default<number> & {
    readonly kind: 'integer'
    readonly minimum: number
    readonly maximum: number
    /** What it counts, where somebody may think of another unit, e.g. `wei`. */
    readonly unit?: string
  }

/** A switch: `--name` and `--no-name`. */
export type BooleanOption = Described & Default<boolean> & { readonly kind: 'boolean' }

/** One of several words. */
export type ChoiceOption = Described &
  Default<string> & { readonly kind: 'choice'; readonly values: readonly string[] }

/** Free text. */
export type TextOption = Described &
  Default<string> & { readonly kind: 'text'; readonly placeholder: string; readonly pattern?: RegExp }

/** Free text or null, which is written `none` where only text is possible. */
export type OptionalTextOption = Described &
  Default<string | null> & {
    readonly kind: 'optionalText'
    readonly placeholder: string
    readonly pattern?: RegExp
  }

/** A list of strings: an array in a file, separated by commas on the command line and in the environment. */
export type ListOption = Described &
  Default<readonly string[]> & { readonly kind: 'list'; readonly placeholder: string }

/** Definition of one option. */
export type OptionDefinition =
  | IntegerOption
  | BooleanOption
  | ChoiceOption
  | TextOption
  | OptionalTextOption
  | ListOption

/** Type of the values of an option. */
export type OptionValue<O extends OptionDefinition> = O extends { kind: 'integer' }
  ? number
  : O extends { kind: 'boolean' }
    ? boolean
    : O extends { kind: 'choice'; values: readonly (infer V)[] }
      ? V
      : O extends { kind: 'list' }
        ? readonly string[]
        : O extends { kind: 'optionalText' }
          ? string | null
          : string

/** Options by key. */
export type OptionTable = Readonly<Record<string, OptionDefinition>>
