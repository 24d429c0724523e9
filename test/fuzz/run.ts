import type { NodeProcess } from '../support/nodeProcess.ts'
import { bodyBytes } from './bodies.ts'
import { Chance } from './chance.ts'
import { faultOfAnswer } from './checkAnswer.ts'
import { createMetadata, type Facts } from './facts.ts'
import { HttpTraffic } from './httpTraffic.ts'
import type { MemorySample } from './memoryTrend.ts'
import { frontHeap, processMemory } from './processMemory.ts'
import { rawBytes, sendRaw } from './rawTraffic.ts'
import { SocketTraffic } from './socketTraffic.ts'

/** A request that was answered wrongly, or not at all. */
export interface Fault {
  readonly client: number
  readonly fault: string
  /** The body, cut to a readable length. */
  readonly body: string
}

/** What a run did and found. */
export interface FuzzReport {
  readonly seed: number
  readonly http: number
  readonly frames: number
  readonly raw: number
  readonly seconds: number
  readonly faults: readonly Fault[]
  /** Memory of the node at equal distances from the start to the end. */
  readonly memory: readonly MemorySample[]
}

export interface FuzzOptions {
  readonly node: NodeProcess
  readonly requests: number
  readonly seed: number
  /** Clients at once; every third is a WebSocket. */
  readonly clients: number
  readonly onProgress?: (sample: MemorySample, faults: readonly Fault[]) => void
  /** Asked before each request: resolves when it may be sent. */
  readonly mayGoOn?: () => Promise<void>
}

/** Share of requests that are broken below JSON. */
const RAW_SHARE = 0.01
const MEMORY_SAMPLES = 200
const SHOWN_CHARACTERS = 2000
const MAX_FAULTS = 200

/** Sends generated requests to a development node and checks every answer. Faults are gathered, not thrown. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { node, seed, requests, clients } = options
  const metadata = await createMetadata(node)
  const counts = { http: 0, frames: 0, raw: 0 }
  const faults: Fault[] = []
  const memory = [await sampleOf(node, 0)]
  const start = Date.now()
  let begun = 0
  let nextSample = requests / MEMORY_SAMPLES
  const client = async (number: number): Promise<void> => {
    const chance = new Chance(seed * 1000 + number)
    const traffic = createClient(node.url, number % 3 === 2)
    while (begun < requests && faults.length < MAX_FAULTS) {
      await options.mayGoOn?.()
      begun += 1
      const { kind, body, fault } = await traffic(chance, metadata)
      counts[kind] += 1
      if (fault !== null) {
        await sampleOf(node, begun)
        faults.push({ client: number, fault, body: body.toString('utf8').slice(0, SHOWN_CHARACTERS) })
      }
      if (begun >= nextSample) {
        nextSample += requests / MEMORY_SAMPLES
        const sample = await sampleOf(node, begun)
        memory.push(sample)
        options.onProgress?.(sample, faults)
      }
    }
    traffic.close()
  }
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  return { seed, ...counts, seconds: (Date.now() - start) / 1000, faults, memory }
}

/** @throws Error with the end of its output when the node is no more */
async function sampleOf(node: NodeProcess, requests: number): Promise<MemorySample> {
  try {
    const heap = await frontHeap(node.url)
    return { requests, heap, ...processMemory(node.pid) }
  } catch (error) {
    throw new Error(`the node died:\n${node.output().slice(-SHOWN_CHARACTERS)}`, { cause: error })
  }
}

interface Sent {
  readonly kind: 'http' | 'frames' | 'raw'
  readonly body: Buffer
  readonly fault: string | null
}

type Client = ((chance: Chance, metadata: Facts) => Promise<Sent>) & { readonly close: () => void }

function createClient(url: string, isSocket: boolean): Client {
  const http = new HttpTraffic(url)
  const socket = new SocketTraffic(url)
  const port = Number(new URL(url).port)
  const send = async (chance: Chance, metadata: Facts): Promise<Sent> => {
    const body = bodyBytes(chance, metadata)
    try {
      if (chance.happens(RAW_SHARE)) {
        return { kind: 'raw', body, fault: await sendRaw(port, rawBytes(chance, body)) }
      }
      if (isSocket) return { kind: 'frames', body, fault: await socket.send(chance, body) }
      const { status, text } = await http.send(chance, body)
      return { kind: 'http', body, fault: faultOfAnswer(body, status, text) }
    } catch (error) {
      socket.close()
      const fault = error instanceof Error ? error.message : String(error)
      return { kind: isSocket ? 'frames' : 'http', body, fault }
    }
  }
  const close = () => {
    http.close()
    socket.close()
  }
  return Object.assign(send, { close })
}
