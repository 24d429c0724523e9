/** Why a configuration was refused. */
export type ConfigErrorCode = 'UnknownOption' | 'InvalidValue' | 'InvalidFile' | 'UnreadableFile' | 'Conflict'

/** A configuration that the node does not start with. The message names the source and what was expected. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly code: ConfigErrorCode

  constructor(code: ConfigErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
