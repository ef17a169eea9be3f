import { Button, FileButton, Group, Input, Text } from '@mantine/core'
import { IconPhoto } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { t } from '../../texts/settings.ts'

const TYPES = 'image/png,image/jpeg,image/webp'
const BYTES_MAX = 512 * 1024

/** A picture that was chosen and is not stored yet. */
export interface Chosen {
  base64: string
  width: number
  height: number
}

interface LogoFieldProps {
  stored: { path: string } | null
  chosen: Chosen | null | 'as stored'
  error?: ReactNode
  onChange(chosen: Chosen | null | 'as stored'): void
  onFault(fault: string): void
}

export function LogoField({ stored, chosen, error, onChange, onFault }: LogoFieldProps) {
  const shown = chosen === 'as stored' ? stored?.path : chosen?.base64
  const take = async (file: File | null) => {
    if (!file) return
    if (file.size > BYTES_MAX) return onFault('Must have at most 512 KB.')
    try {
      onChange(await read(file))
    } catch {
      onFault('Must be a picture: PNG, JPEG or WebP.')
    }
  }
  return (
    <Input.Wrapper
      labelElement="div"
      label={t.logo}
      description={t.pngJpegOrWebpUp}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      error={error}
    >
      <Group gap="md" mt={4} mb={6}>
        <div className="logo-place">
          {shown ? (
            <img src={shown} alt="Your logo" />
          ) : (
            <Text span c="dimmed" aria-hidden>
              <IconPhoto size={24} stroke={1.5} />
            </Text>
          )}
        </div>
        <Group gap="xs">
          <FileButton onChange={(file) => void take(file)} accept={TYPES}>
            {(props) => (
              <Button variant="default" {...props}>
                {shown ? t.replaceTheLogo : t.chooseALogo}
              </Button>
            )}
          </FileButton>
          {shown && (
            <Button
              variant="subtle"
              color="gray"
              onClick={() => onChange(stored ? null : 'as stored')}
            >
              {t.remove}
            </Button>
          )}
        </Group>
      </Group>
    </Input.Wrapper>
  )
}

/** Throws for what the browser cannot show. */
async function read(file: File): Promise<Chosen> {
  const base64 = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
  const image = new Image()
  image.src = base64
  await image.decode()
  return { base64, width: image.naturalWidth, height: image.naturalHeight }
}
