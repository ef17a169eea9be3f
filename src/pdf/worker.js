// Draws PDFs in a thread of its own, one after the other; src/pdf/printer.ts starts it. Hooks of
// the main thread do not reach into others, so this one loads our TypeScript by itself.
import '../loader.js'
import { deserialize } from 'node:v8'
import { parentPort } from 'node:worker_threads'

const { draw } = await import('./draw.ts')

// A failure is not caught: it ends the thread and reaches the printer, which starts another.
parentPort.on('message', (sheet) => void answer(sheet))

async function answer(sheet) {
  parentPort.postMessage(await draw(deserialize(sheet)))
}
