import { CodedError } from '../util/codedError.ts'

/** Why a configuration was refused. */
export type ConfigErrorCode = 'UnknownOption' | 'InvalidValue' | 'InvalidFile' | 'UnreadableFile' | 'Conflict'

/** A configuration that the node does not start with. The message names the source and what was expected. */
export class ConfigError extends CodedError<ConfigErrorCode> {
  override readonly name = 'ConfigError'
}
