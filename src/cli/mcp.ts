import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import { plainDocument } from '../lib/openapi.ts'
import { VERSION } from '../version.ts'
import { addressed, type ClientOptions, clientOptions } from './client.ts'
import { type Document, type Tool, toolsOf } from './mcp-tools.ts'
import { UsageError } from './output.ts'

interface Options extends ClientOptions {
  allowWrites?: boolean
  live?: boolean
}

export function mcpCommand(program: Command): void {
  const mcp = program
    .command('mcp')
    .description('Let an assistant use the API, by the Model Context Protocol over standard input')
    .option('--allow-writes', 'let it change things, too (it only reads)')
    .option('--live', 'take a live key, too (only test keys)')
    .addHelpText(
      'after',
      `
Examples:
  $ tradepost mcp
  $ TRADEPOST_KEY=sk_test_… TRADEPOST_URL=https://pay.example.com tradepost mcp --allow-writes`,
    )
    .action(run)
  clientOptions(mcp)
}

async function run({ allowWrites = false, live = false, ...options }: Options): Promise<void> {
  const { key, baseUrl } = await addressed(options)
  if (!key.startsWith('sk_test_') && !(live && key.startsWith('sk_live_'))) {
    throw new UsageError('An assistant gets a test key; --live allows a live one.')
  }
  const tools = toolsOf(await documentOf(baseUrl), { baseUrl, key, allowWrites })
  const { fromJsonSchema, McpServer } = await import('@modelcontextprotocol/server')
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio')
  const serve = () => {
    const server = new McpServer({ name: 'tradepost', version: VERSION })
    for (const tool of tools) {
      const { name, title, description, inputSchema, writes } = tool
      server.registerTool(
        name,
        {
          title,
          description,
          inputSchema: fromJsonSchema<Record<string, unknown>>(inputSchema as never),
          annotations: { readOnlyHint: !writes, destructiveHint: writes, openWorldHint: false },
        },
        (input: Record<string, unknown>) => answerOf(tool, input),
      )
    }
    return server
  }
  const mode = allowWrites ? 'reading and writing' : 'reading only'
  process.stderr.write(`Tradepost at ${baseUrl}: ${tools.length} tools, ${mode}.\n`)
  const input = new PassThrough()
  const transport = new StdioServerTransport(input, process.stdout)
  endAfterAnswers(input, transport)
  serveStdio(serve, { transport })
}

interface Message {
  id?: string | number
  method?: string
}

/** How long what was asked before the end of standard input may take. */
const ANSWERS_MS = 60_000

/** Passes standard input on, and ends it only when every request in it has its answer. */
function endAfterAnswers(
  input: PassThrough,
  transport: { send(message: never): Promise<void> },
): void {
  const open = new Set<string | number>()
  let hasEnded = false
  const endIfAnswered = () => {
    if (hasEnded && open.size === 0) input.end()
  }
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      const { id, method } = messageIn(line)
      if (id !== undefined && method !== undefined) open.add(id)
      input.write(`${line}\n`)
    })
    .on('close', () => {
      hasEnded = true
      endIfAnswered()
      setTimeout(() => input.end(), ANSWERS_MS).unref()
    })
  const send = transport.send.bind(transport)
  transport.send = async (message: Message) => {
    await send(message as never)
    if (message.id !== undefined && message.method === undefined) open.delete(message.id)
    endIfAnswered()
  }
}

function messageIn(line: string): Message {
  try {
    return JSON.parse(line) as Message
  } catch {
    return {}
  }
}

async function documentOf(baseUrl: string): Promise<Document> {
  const response = await fetch(`${baseUrl}/openapi.json`).catch(() => undefined)
  if (!response?.ok) throw new Error(`No Tradepost server answers at ${baseUrl}.`)
  return plainDocument((await response.json()) as Document)
}

/** What the model reads; an answer that is too long would crowd out what it is about. */
const TEXT_MAX = 60_000

async function answerOf(tool: Tool, input: Record<string, unknown>) {
  try {
    const { status, text } = await tool.call(input)
    const shown = text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}… (cut: ask for less)` : text
    return { content: [{ type: 'text' as const, text: shown }], isError: status >= 400 }
  } catch (error) {
    const text = `The server did not answer: ${(error as Error).message}`
    return { content: [{ type: 'text' as const, text }], isError: true }
  }
}
