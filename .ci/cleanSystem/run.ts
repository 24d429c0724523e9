import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, clone, releaseTests, runCell, testCommand } from './cells.ts'
import type { MachineSettings, Mount } from './machine.ts'
import { makePackages, packedInstall } from './packed.ts'
import type { ReadmeCommands } from './readme.ts'
import { CleanRoot } from './root.ts'
import { BUILD_PACKAGES, type Cell, type NodeRelease, PACKED, type System } from './systems.ts'
import type { Row } from './table.ts'
import { nodeMount } from './toolchain.ts'

export interface CleanSystemsOptions {
  /** Folder of the machine for the roots and what is mounted in them. */
  readonly scratch: string
  /** Commit of the checkout that is cloned. */
  readonly commit: string
  readonly commands: ReadmeCommands
  readonly settings: MachineSettings
  /** In their order; the first of a system has to answer. */
  readonly cells: readonly Cell[]
  readonly print: (line: string) => void
}

/** Runs the cells of the table, one after the other, and collects its rows. */
export class CleanSystems {
  readonly #options: CleanSystemsOptions
  readonly #nodes = new Map<NodeRelease, Mount>()
  readonly #roots = new Set<CleanRoot>()
  readonly rows: Row[] = []

  constructor(options: CleanSystemsOptions) {
    this.#options = options
  }

  /** Fetches the Node.js releases. Throws when one cannot be had. */
  fetchNodes(): void {
    for (const node of new Set(this.#options.cells.map((cell) => cell.node))) {
      const folder = join(this.#options.scratch, `node-${node.major}`)
      mkdirSync(folder)
      this.#nodes.set(node, nodeMount(node, folder))
    }
  }

  /** All cells of a system in one root. A fault of the root itself is one more failed row. */
  async run(system: System, full: boolean): Promise<void> {
    const { commit, commands, print } = this.#options
    await this.#withRoot(system, system.suite, async (root, log) => {
      const began = performance.now()
      root.create(system.suite, BUILD_PACKAGES)
      print(`${system.name}: root made in ${((performance.now() - began) / 1000).toFixed(1)} s`)
      const bench: Bench = { root, system, commands, nodes: this.#nodes, log }
      await clone(bench, commit)
      const cells = this.#options.cells.filter((cell) => cell.system === system)
      for (const cell of cells) {
        this.rows.push(...(await runCell(bench, cell)))
        if (cell === cells[0]) this.rows.push(await releaseTests(bench, cell))
        if (PACKED.made.system === system && PACKED.made.node === cell.node) await this.#packed(bench)
      }
      const [first] = cells
      if (full && first !== undefined) this.rows.push(await testCommand(bench, first))
    })
  }

  /** Makes the packages in a root whose checkout is built, and installs them in other ones. */
  async #packed(builder: Bench): Promise<void> {
    const folder = join(this.#options.scratch, 'packages')
    const { made, installed } = PACKED
    const isMade = await this.#guarded(made.system, 'packages', () =>
      makePackages(builder, made.node, folder),
    )
    if (!isMade) return
    for (const { system, node } of installed)
      await this.#withRoot(system, `${system.suite}-bare`, async (root, log) => {
        this.rows.push(await packedInstall({ ...builder, log }, system, node, folder, root))
      })
  }

  /** Removes all roots, after what runs in them was ended. */
  async remove(): Promise<void> {
    await Promise.all([...this.#roots].map((root) => root.remove()))
  }

  async #withRoot(
    system: System,
    name: string,
    work: (root: CleanRoot, log: (line: string) => void) => Promise<void>,
  ): Promise<void> {
    const root = new CleanRoot(join(this.#options.scratch, name), this.#options.settings)
    this.#roots.add(root)
    await this.#guarded(system, name, () => work(root, (line) => this.#options.print(`${name}: ${line}`)))
    await root.remove()
    this.#roots.delete(root)
  }

  /** Whether some work was done; where it throws there is a failed row that says so. */
  async #guarded(system: System, name: string, work: () => Promise<void>): Promise<boolean> {
    const began = performance.now()
    try {
      await work()
      return true
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown)
      this.#options.print(`${name}: ${message}`)
      const seconds = (performance.now() - began) / 1000
      const outcome = message.split('\n')[0] ?? ''
      const nothing = { node: '', command: '', firstAnswer: null, bytes: null }
      this.rows.push({ ...nothing, system: system.name, passed: false, outcome, seconds })
      return false
    }
  }
}
