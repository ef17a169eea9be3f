import { Button, CopyButton, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCheck, IconCopy, IconDownload, IconQrcode, IconShare3 } from '@tabler/icons-react'
import { useRef } from 'react'
import { encode } from 'uqr'
import { t } from '../texts/en.ts'
import { Card } from './DetailPage.tsx'
import { OutsideLink } from './links.tsx'

/** A link for payers: to open, to copy, to hand on, and as a code to be scanned. */
export function Sharing({ link, title, text }: { link: string; title: string; text: string }) {
  const [isOpen, code] = useDisclosure(false)
  return (
    <Card title="Link for payers">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {text}
        </Text>
        <Text size="sm" className="breaks">
          <OutsideLink to={link}>{link}</OutsideLink>
        </Text>
        <Group gap="xs">
          <CopyButton value={link}>
            {({ copied, copy }) => (
              <Button
                size="xs"
                variant="default"
                leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
                onClick={copy}
              >
                {copied ? t.action.copied : 'Copy the link'}
              </Button>
            )}
          </CopyButton>
          {'share' in navigator && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconShare3 size={14} />}
              onClick={() => void navigator.share({ title, url: link }).catch(() => undefined)}
            >
              Share
            </Button>
          )}
          <Button
            size="xs"
            variant="default"
            leftSection={<IconQrcode size={14} />}
            onClick={code.open}
          >
            QR code
          </Button>
        </Group>
      </Stack>
      <Modal opened={isOpen} onClose={code.close} title={title}>
        <QrToKeep text={link} name={title} />
      </Modal>
    </Card>
  )
}

function QrToKeep({ text, name }: { text: string; name: string }) {
  const picture = useRef<SVGSVGElement>(null)
  const save = () => {
    const markup = new XMLSerializer().serializeToString(picture.current!)
    const url = URL.createObjectURL(new Blob([markup], { type: 'image/svg+xml' }))
    const link = document.createElement('a')
    link.href = url
    link.download = `${name.replace(/[^\p{L}\p{N}]+/gu, '-')}.svg`
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), 10_000)
  }
  return (
    <Stack align="center">
      <QrCode text={text} label={`QR code of ${name}`} picture={picture} />
      <Text size="sm" c="dimmed" ta="center" className="breaks">
        {text}
      </Text>
      <Button variant="default" leftSection={<IconDownload size={16} />} onClick={save}>
        Save the picture
      </Button>
    </Stack>
  )
}

/** Dark on white in both schemes, with a quiet zone of four modules: scanners fail on else. */
function QrCode({
  text,
  label,
  picture,
}: {
  text: string
  label: string
  picture: React.Ref<SVGSVGElement>
}) {
  const { data, size } = encode(text, { ecc: 'M', border: 4 })
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
          // biome-ignore lint/suspicious/noArrayIndexKey: where a run stands is what it is
          <rect key={`${x} ${y}`} x={x} y={y} width={width} height={1} fill="#000" />
        )),
      )}
    </svg>
  )
}

/** Where each run of dark modules in a row begins, and how long it is. */
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
