import { Anchor, CopyButton, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCheck, IconCopy, IconDownload, IconQrcode, IconShare3 } from '@tabler/icons-react'
import { useRef } from 'react'
import { encode } from 'uqr'
import { saveFile } from '../api/download.ts'
import { ActionButton } from './buttons.tsx'
import { Card } from './DetailPage.tsx'
import { ExternalLink } from './links.tsx'

/** Offers a payment link to open, copy, share or scan. */
export function Sharing({ link, title, text }: { link: string; title: string; text: string }) {
  const [isOpen, code] = useDisclosure(false)
  return (
    <Card title="Payment link">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {text}
        </Text>
        <Text size="sm" className="breaks">
          <ExternalLink to={link}>{link}</ExternalLink>
        </Text>
        <Group gap="xs">
          <CopyButton value={link}>
            {({ copied, copy }) => (
              <ActionButton
                icon={copied ? IconCheck : IconCopy}
                label={copied ? 'Copied' : 'Copy link'}
                size="xs"
                onClick={copy}
              />
            )}
          </CopyButton>
          {'share' in navigator && (
            <ActionButton
              icon={IconShare3}
              label="Share"
              size="xs"
              onClick={() => void navigator.share({ title, url: link }).catch(() => undefined)}
            />
          )}
          <ActionButton icon={IconQrcode} label="QR code" size="xs" onClick={code.open} />
        </Group>
        <HandOn title={title} link={link} />
      </Stack>
      <Modal opened={isOpen} onClose={code.close} title={title}>
        <QrToKeep text={link} name={title} />
      </Modal>
    </Card>
  )
}

function QrToKeep({ text, name }: { text: string; name: string }) {
  const picture = useRef<SVGSVGElement>(null)
  const fileName = name.replace(/[^\p{L}\p{N}]+/gu, '-')
  const saveSvg = () => {
    const markup = new XMLSerializer().serializeToString(picture.current!)
    saveFile(`${fileName}.svg`, new Blob([markup], { type: 'image/svg+xml' }))
  }
  const savePng = () => drawn(text).toBlob((png) => png && saveFile(`${fileName}.png`, png))
  return (
    <Stack align="center">
      <QrCode text={text} label={`QR code for ${name}`} picture={picture} />
      <Text size="sm" c="dimmed" ta="center" className="breaks">
        {text}
      </Text>
      <Group gap="xs" justify="center">
        <ActionButton icon={IconDownload} label="Save as PNG" onClick={savePng} />
        <ActionButton icon={IconDownload} label="Save as SVG" onClick={saveSvg} />
      </Group>
    </Stack>
  )
}

/** Large enough for printing, with a whole number of pixels per module. */
const PRINTED_PIXELS = 1_200

function drawn(text: string): HTMLCanvasElement {
  const { data, size } = encode(text, CODE)
  const module = Math.ceil(PRINTED_PIXELS / size)
  const canvas = document.createElement('canvas')
  canvas.width = size * module
  canvas.height = size * module
  const pen = canvas.getContext('2d')!
  pen.fillStyle = '#fff'
  pen.fillRect(0, 0, canvas.width, canvas.height)
  pen.fillStyle = '#000'
  data.forEach((row, y) => {
    for (const [x, width] of runsOf(row))
      pen.fillRect(x * module, y * module, width * module, module)
  })
  return canvas
}

/** Services through which users can share the link and its title. */
const PLACES = [
  { name: 'WhatsApp', at: (text: string) => `https://wa.me/?text=${text}` },
  { name: 'X', at: (text: string) => `https://x.com/intent/post?text=${text}` },
  {
    name: 'Facebook',
    at: (_: string, link: string) => `https://www.facebook.com/sharer/sharer.php?u=${link}`,
  },
  { name: 'Email', at: (text: string) => `mailto:?body=${text}` },
]

function HandOn({ title, link }: { title: string; link: string }) {
  const text = encodeURIComponent(`${title}\n${link}`)
  return (
    <Group gap="xs">
      {PLACES.map(({ name, at }) => (
        <Anchor
          key={name}
          size="sm"
          href={at(text, encodeURIComponent(link))}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={`Share on ${name}`}
        >
          {name}
        </Anchor>
      ))}
    </Group>
  )
}

const CODE = { ecc: 'M', border: 4 } as const

/** Always dark on white, with a light margin of four modules, because scanners need both. */
function QrCode({
  text,
  label,
  picture,
}: {
  text: string
  label: string
  picture: React.Ref<SVGSVGElement>
}) {
  const { data, size } = encode(text, CODE)
  return (
    <svg
      ref={picture}
      xmlns="http://www.w3.org/2000/svg"
      width={240}
      height={240}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      {data.flatMap((row, y) =>
        runsOf(row).map(([x, width]) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the position identifies a run
          <rect key={`${x} ${y}`} x={x} y={y} width={width} height={1} fill="#000" />
        )),
      )}
    </svg>
  )
}

/** Returns the start and length of each run of dark modules in a row. */
function runsOf(row: boolean[]): [number, number][] {
  const runs: [number, number][] = []
  row.forEach((isDark, x) => {
    const last = runs.at(-1)
    if (!isDark) return
    if (last && last[0] + last[1] === x) last[1]++
    else runs.push([x, 1])
  })
  return runs
}
