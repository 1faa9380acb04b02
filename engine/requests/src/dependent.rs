//! Requests that depend on their connection: they carry values that it takes from answers.

use crate::template::Template;
use volley_protocol::Request;

/// A request without the values that its connection takes.
#[derive(Debug)]
pub struct Dependent {
    /// The request in which fields replace the values, as they are written, `{{name}}`.
    pub(crate) request: Request,
    /// The templates of its last headers.
    pub(crate) headers: Vec<Template>,
    pub(crate) path: Template,
    /// `None`: the body is the request's.
    pub(crate) body: Option<Template>,
}

impl Dependent {
    /// The request with the values that its connection has taken.
    pub fn with(&self, values: &[String]) -> Request {
        let mut request = self.request.clone();
        let own = request.headers.len() - self.headers.len();
        for ((_, value), template) in request.headers[own..].iter_mut().zip(&self.headers) {
            *value = template.with(values);
        }
        request.path = self.path.with(values);
        if let Some(body) = &self.body {
            request.body = body.with(values).into();
        }
        request
    }
}
