import { CodedError } from '../util/codedError.ts'

/** Reason why a configuration is invalid. */
export type ConfigErrorCode =
  | 'UnknownOption'
  | 'InvalidValue'
  | 'InvalidFile'
  | 'UnreadableFile'
  | 'Conflict'
  | 'NoHome'

/** An invalid configuration. The message names the source and what was expected. */
export class ConfigError extends CodedError<ConfigErrorCode> {
  override readonly name = 'ConfigError'
}
