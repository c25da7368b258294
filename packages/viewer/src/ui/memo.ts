import { Component, type ComponentType, h } from 'preact';

/** A component that is drawn again only when one of its properties is another. */
export function memo<Props extends object>(Inner: (props: Props) => preact.ComponentChild): ComponentType<Props> {
  return class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      const before = this.props as Record<string, unknown>;
      for (const [name, value] of Object.entries(next)) if (before[name] !== value) return true;
      return false;
    }

    override render() {
      return h(Inner as ComponentType<Props>, this.props as Props);
    }
  };
}
