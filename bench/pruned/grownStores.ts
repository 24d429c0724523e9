import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { startCommand } from '../../test/support/cli.ts'

/** What an import left on disk, bytes. */
export interface GrownStores {
  readonly seconds: number
  /** The folder of the state store at most, and at the end. */
  readonly mostState: number
  readonly state: number
  readonly chain: number
}

const SAMPLE_MS = 250

/** Imports a file by the command line and looks at its stores meanwhile. @throws Error when it fails */
export async function growStores(
  file: string,
  dataDir: string,
  args: readonly string[],
): Promise<GrownStores> {
  const start = performance.now()
  const command = startCommand(['import', '--data-dir', dataDir, '--log-level', 'warn', ...args, file])
  let mostState = 0
  const timer = setInterval(() => {
    mostState = Math.max(mostState, folderBytes(join(dataDir, 'state')))
  }, SAMPLE_MS)
  const { code, stderr } = await command.done
  clearInterval(timer)
  if (code !== 0) throw new Error(`import ${args.join(' ')}: ${stderr}`)
  const state = folderBytes(join(dataDir, 'state'))
  return {
    seconds: (performance.now() - start) / 1000,
    mostState: Math.max(mostState, state),
    state,
    chain: folderBytes(join(dataDir, 'chain')),
  }
}

/** Space that the files of a folder take on disk. */
export function folderBytes(folder: string): number {
  try {
    const files = readdirSync(folder).map((name) => statSync(join(folder, name), { throwIfNoEntry: false }))
    return files.reduce((sum, file) => sum + (file?.blocks ?? 0) * 512, 0)
  } catch {
    return 0
  }
}
