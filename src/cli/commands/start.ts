import { OPTION_KEYS } from '../../config/schema.ts'
import { ListenError } from '../../front/server.ts'
import { createNode } from '../../node/createNode.ts'
import { NodeError } from '../../node/errors.ts'
import { createLogger } from '../../observe/logger.ts'
import { startBanner } from '../banner.ts'
import { bootstrap } from '../bootstrap.ts'
import { defineCommand } from '../command.ts'
import { CommandError } from '../errors.ts'
import { EXIT_CODES } from '../exitCodes.ts'
import { untilInterrupted } from '../interruption.ts'
import { readVersion } from '../version.ts'

/** `rhizome start`: runs the node until it is interrupted. */
export const start = defineCommand({
  name: 'start',
  summary: 'run the node',
  details: 'Ends cleanly on Ctrl-C or SIGTERM.',
  files: 'none',
  options: OPTION_KEYS,
  extra: {},
  run: async ({ config, stdout, stderr }) => {
    const version = readVersion()
    const logger = createLogger({ level: config.logLevel, format: config.logFormat, output: stderr })
    await bootstrap(config, logger, { stderr })
    const interrupted = untilInterrupted()
    const node = await createNode({ config, version, logger }).catch(describeStart)
    try {
      stdout.write(startBanner(node, config, version))
      await Promise.race([interrupted, node.failed.catch(describeEnd)])
    } finally {
      await node.stop()
    }
    return EXIT_CODES.ok
  },
})

function describeStart(error: unknown): never {
  if (error instanceof NodeError) throw new CommandError('Failed', error.message, undefined, { cause: error })
  if (error instanceof ListenError) {
    const message = `${error.message} Another --http-port, or 0 for any free one, may help.`
    throw new CommandError('Failed', message, undefined, { cause: error })
  }
  throw error
}

function describeEnd(error: unknown): never {
  if (error instanceof NodeError) throw new CommandError('Failed', error.message, undefined, { cause: error })
  throw error
}
