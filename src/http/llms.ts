import { readFileSync } from 'node:fs'

interface Document {
  paths: Record<string, Record<string, { operationId?: string; summary?: string; tags?: string[] }>>
}

const INTRODUCTION = new URL('../../docs/llms.txt', import.meta.url)

/** What a model is told of this server (llmstxt.org): docs/llms.txt, and every operation. */
export function llmsTextOf({ paths }: Document, publicUrl: string): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary = '', tags }]) => ({
      tag: tags?.[0] ?? 'Other',
      line: `- \`${method.toUpperCase()} ${path}\` (${operationId}): ${summary}`,
    })),
  )
  const sections = [...Map.groupBy(operations, ({ tag }) => tag)].map(
    ([tag, some]) => `## ${tag}\n\n${some.map(({ line }) => line).join('\n')}\n`,
  )
  const introduction = readFileSync(INTRODUCTION, 'utf8').replaceAll('{url}', publicUrl)
  return [introduction, ...sections].join('\n')
}
