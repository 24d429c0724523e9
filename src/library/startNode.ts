import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '../config/errors.ts'
import { openMemoryFolder } from '../node/memoryFolder.ts'
import type { DevelopmentNodeOptions } from './developmentNode.ts'
import type { StartedNode } from './startedNode.ts'
import { configFromOptions } from './toConfig.ts'

/** Processes in which a node can run. */
const PROCESSES = ['same', 'child'] as const

/**
 * Starts a node where the options say. A temporary folder is removed when the node stops or does not start.
 * @throws ConfigError, NodeError, ListenError, ChildError
 */
export async function startNode(options: Omit<DevelopmentNodeOptions, 'signal'>): Promise<StartedNode> {
  const processKind = options.process ?? 'same'
  if (!PROCESSES.includes(processKind)) {
    throw new ConfigError('InvalidValue', `createNode: process: expected one of ${PROCESSES.join(', ')}`)
  }
  // Validated before the folder is created, so that a wrong option leaves nothing behind.
  const given = configFromOptions(options, options.dataDir ?? tmpdir())
  const memory = given.inMemory ? openMemoryFolder() : null
  const folder =
    options.dataDir === undefined && memory === null ? await mkdtemp(join(tmpdir(), 'rhizome-')) : null
  const dataDir = memory?.path ?? folder
  const config = dataDir === null ? given : { ...given, dataDir }
  const clean = async () => {
    memory?.remove()
    if (folder !== null) await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  const request = { config, accounts: options.accounts ?? {}, temporaryFolder: dataDir }
  try {
    const started =
      processKind === 'same'
        ? await (await import('./inProcess.ts')).startInProcess(request)
        : await (await import('./inChild.ts')).startInChild(request)
    return { ...started, stop: () => started.stop().finally(clean) }
  } catch (error) {
    await clean()
    throw error
  }
}
