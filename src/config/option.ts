import type { NetworkName } from './networks/names.ts'

/** What a default may depend on. Network and profile are settled before every other option. */
export type DefaultContext = {
  readonly network: NetworkName
  readonly profile: 'dev' | 'hosted'
  /** Processors of the machine. */
  readonly processors: number
  /** Home directory of the user. */
  readonly home: string
}

/** A default that is a function has a text that says what it gives, for help and the reference table. */
type Default<T> =
  | { readonly default: T }
  | { readonly default: (context: DefaultContext) => T; readonly defaultText: string }

/** An earlier name of an option. */
export type RenamedFrom = {
  /** In camel case, as it stood in a file. */
  readonly name: string
  /** Last minor version that takes it, e.g. `0.2`. Later ones only say what the option is called now. */
  readonly until: string
}

type Described = {
  /** Heading it stands under in help and the reference table. */
  readonly group: OptionGroup
  /** One sentence, without a full stop; for an integer it names the unit. */
  readonly doc: string
  /** False for an option that makes no sense inside a file. */
  readonly inFile?: false
  /** The name that it had before, while that is taken or still explained. */
  readonly renamedFrom?: RenamedFrom
  /**
   * Last minor version that takes it, e.g. `0.2`, for an option without effect: it is out of sight, and whoever gives it
   * is warned.
   */
  readonly retired?: string
  /** Whether its value is kept from whoever has the configuration shown. */
  readonly secret?: true
}

/** Headings of help and of the reference table, in this order. */
export const OPTION_GROUPS = [
  'Node',
  'Store',
  'Snapshots',
  'Peers',
  'Service',
  'Access',
  'Limits',
  'Operation',
  'Pool',
  'Block production',
  'Merged mining',
  'Stable gas price',
] as const

/** Heading that an option stands under; `Command` for an option of one command alone. */
export type OptionGroup = (typeof OPTION_GROUPS)[number] | 'Command'

/** A whole number between two bounds, both allowed. */
export type IntegerOption = Described &
  Default<number> & { readonly kind: 'integer'; readonly minimum: number; readonly maximum: number }

/** A switch: `--name` and `--no-name`. */
export type BooleanOption = Described & Default<boolean> & { readonly kind: 'boolean' }

/** One of some words. */
export type ChoiceOption = Described &
  Default<string> & { readonly kind: 'choice'; readonly values: readonly string[] }

/** Free text. */
export type TextOption = Described &
  Default<string> & { readonly kind: 'text'; readonly placeholder: string; readonly pattern?: RegExp }

/** Free text that may be absent: null, written `none` where there is only text. */
export type OptionalTextOption = Described &
  Default<string | null> & {
    readonly kind: 'optionalText'
    readonly placeholder: string
    readonly pattern?: RegExp
  }

/** Texts: an array in a file, separated by commas on the command line and in the environment. */
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
