import { existsSync, readFileSync } from 'node:fs'
import { type Machine, machineText } from '../report/machine.ts'
import { RESULTS_FOLDER, type Section, saveSections } from '../report/results.ts'
import { FLEET_PARTS, type FleetPart } from './options.ts'

/** What a part showed when it ran last. */
interface KeptPart {
  /** Where and when, for readers. */
  readonly machine: string
  readonly sections: readonly Section[]
  readonly result: unknown
}

type KeptParts = Partial<Record<FleetPart, KeptPart>>

const NAME = 'fleet'
const FILE = `${RESULTS_FOLDER}${NAME}.json`

/** Writes what a part shows beside what others showed, of whichever run: parts are run one at a time. */
export function savePart(
  part: FleetPart,
  machine: Machine,
  result: unknown,
  sections: readonly Section[],
): void {
  const measured = machineText(machine)
  const kept: KeptParts = { ...readParts(), [part]: { machine: measured, sections, result } }
  const all = FLEET_PARTS.flatMap((name) => kept[name] ?? []).flatMap((each) =>
    each.sections.map((section) => (each.machine === measured ? section : noted(section, each.machine))),
  )
  saveSections(NAME, machine, all, kept)
}

function noted(section: Section, machine: string): Section {
  const note = [section.note ?? '', `Measured ${machine}.`].filter((text) => text !== '').join(' ')
  return { ...section, note }
}

function readParts(): KeptParts {
  if (!existsSync(FILE)) return {}
  const { detail } = JSON.parse(readFileSync(FILE, 'utf8')) as { detail?: KeptParts }
  return detail ?? {}
}
