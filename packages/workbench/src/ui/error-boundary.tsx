import { Component, type ReactNode } from "react";

/** Shows in words that a part of the page could not draw what it was given; the rest goes on. */
export class ErrorBoundary extends Component<
  { readonly what: string; readonly children: ReactNode },
  { readonly message: string | null }
> {
  override state: { readonly message: string | null } = { message: null };

  static getDerivedStateFromError(error: unknown): { readonly message: string } {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    const { message } = this.state;
    if (message === null) return this.props.children;
    return (
      <div className="notice warn" role="alert">
        <p>
          {this.props.what} could not be drawn: {message}
        </p>
        <p>What was received is in “Observation in full”.</p>
        <button type="button" onClick={() => this.setState({ message: null })}>
          Try again
        </button>
      </div>
    );
  }
}
