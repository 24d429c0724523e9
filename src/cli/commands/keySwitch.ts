import { type CommandContext, defineCommand } from '../command.ts'
import { EXIT_CODES, type ExitCode } from '../exitCodes.ts'
import { ACCESS_OPTION_KEYS, FLEET_KEYS_DETAIL, KEY_LOCAL, withKeys } from '../openAccess.ts'

/** `rhizome key disable ID`. */
export const keyDisable = defineCommand({
  name: 'key disable',
  summary: 'refuse an API key from now on and end its WebSockets',
  details: `A running node does so within a second. \`key enable\` takes it back. ${FLEET_KEYS_DETAIL}`,
  files: 'none',
  argument: { placeholder: '<ID>', doc: 'id of the key' },
  options: ACCESS_OPTION_KEYS,
  extra: { local: KEY_LOCAL },
  run: (context) => switchKey(context, true),
})

/** `rhizome key enable ID`. */
export const keyEnable = defineCommand({
  name: 'key enable',
  summary: 'accept a disabled API key again',
  files: 'none',
  argument: { placeholder: '<ID>', doc: 'id of the key' },
  options: ACCESS_OPTION_KEYS,
  extra: { local: KEY_LOCAL },
  run: (context) => switchKey(context, false),
})

type SwitchContext = CommandContext<{ readonly local: typeof KEY_LOCAL }>

async function switchKey(
  { config, extra, files, stdout }: SwitchContext,
  disabled: boolean,
): Promise<ExitCode> {
  const [id = ''] = files
  await withKeys(config, extra.local, (keys) => keys.update(id, (key) => ({ ...key, disabled })))
  stdout.write(`key ${id} ${disabled ? 'disabled' : 'enabled'}\n`)
  return EXIT_CODES.ok
}
