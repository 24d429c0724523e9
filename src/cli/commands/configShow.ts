import { OPTION_KEYS, OPTIONS } from '../../config/schema.ts'
import { HIDDEN } from '../../util/hidden.ts'
import { toYaml } from '../../util/yaml.ts'
import { defineCommand } from '../command.ts'
import { EXIT_CODES } from '../exitCodes.ts'

/**
 * `rhizome config show`: the configuration with all defaults filled in, as a configuration file without its
 * secrets.
 */
export const configShow = defineCommand({
  name: 'config show',
  summary: 'print the configuration with all defaults filled in',
  files: 'none',
  options: OPTION_KEYS,
  extra: {
    json: { kind: 'boolean', group: 'Command', default: false, doc: 'Print JSON instead of YAML' },
  },
  run: async ({ config, extra, stdout }) => {
    const shown = Object.fromEntries(
      OPTION_KEYS.filter((key) => !('inFile' in OPTIONS[key] || 'retired' in OPTIONS[key])).map((key) => [
        key,
        'secret' in OPTIONS[key] && config[key] !== null ? HIDDEN : config[key],
      ]),
    )
    stdout.write(extra.json ? `${JSON.stringify(shown, null, 2)}\n` : toYaml(shown))
    return EXIT_CODES.ok
  },
})
