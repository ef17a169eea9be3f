import { Button, type ButtonProps } from '@mantine/core'
import type { IconProps } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ComponentPropsWithoutRef, ComponentType, ReactNode } from 'react'
import { type ScreenAddress, type Search, useHref } from './navigation.ts'

type OfButton = ButtonProps & Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps>

interface ActionButtonProps extends Omit<OfButton, 'children'> {
  label: ReactNode
  icon?: ComponentType<IconProps>
  /** Whether this is the main action. A group must have at most one. */
  isMain?: boolean
  /** The screen to open, for a button that is only a link. */
  to?: ScreenAddress
  search?: Search
}

export function ActionButton({
  label,
  icon: Icon,
  isMain,
  to,
  search,
  ...props
}: ActionButtonProps) {
  const button = {
    variant: isMain ? 'filled' : 'default',
    leftSection: Icon && <Icon size={props.size === 'xs' ? 14 : 16} />,
    children: label,
    ...props,
  }
  return to === undefined ? (
    <Button {...button} />
  ) : (
    <LinkButton to={to} search={search} {...button} />
  )
}

function LinkButton({
  to,
  search,
  ...props
}: OfButton & { to: ScreenAddress; search: Search | undefined }) {
  const href = useHref()
  const linked = ({ type: _, ...root }: { type?: unknown }) => (
    <Link {...root} to={href(to)} search={search} />
  )
  return <Button {...props} renderRoot={linked} />
}
